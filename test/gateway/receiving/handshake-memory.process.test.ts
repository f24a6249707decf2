import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import { expect, it } from 'vitest'
import { createSite, type SpawnedGateway, serviceCredentials, spawnGateway } from '../../support/gateway.ts'

const KIB = 1024

/** What a process has in memory, in bytes. */
function memoryOf(gateway: SpawnedGateway): number {
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * KIB
}

function handshake(options: ConnectionOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => socket.end())
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.resume()
  })
}

it.skipIf(!existsSync('/proc/self/status'))(
  'a connection leaves no memory behind, whatever chain its caller shows',
  async () => {
    const site = await createSite()
    const gateway = await spawnGateway(site)
    const { ca, cert, key } = serviceCredentials(site)
    const issuer = readFileSync(join(site.certs, 'trust/production.pem'), 'utf8')
    // Each certificate that Node lost would be 9 KiB of every connection.
    const caller = { ...gateway.callbacks, ca, key, cert: cert.toString() + issuer.repeat(30), servername: 'localhost' }
    const connections = async (count: number) => {
      for (let done = 0; done < count; done++) await handshake(caller)
    }

    await connections(100)
    const before = memoryOf(gateway)
    await connections(200)

    expect((memoryOf(gateway) - before) / 200).toBeLessThan(150 * KIB)
  },
)
