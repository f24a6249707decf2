import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'

/** A destination that is never there: its deliveries are written, and the one that is tried finds its circuit. */
export const ABSENT = 'http://127.0.0.1:9/hook'

export interface BenchSite {
  readonly folder: string
  readonly certs: string
  readonly configFile: string
  readonly logFile: string
  /** From the next start on, another destination in place of the one that it was created with. What that one did not get waits until it is back. */
  deliverTo(url: string): void
  remove(): void
}

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
export const OPERATOR_TOKEN = 'operator-token-of-the-benchmark-0123456789'

/**
 * The product as it is shipped, with one destination.
 * @param furnish makes further sections of the configuration, and their files in the folder
 * @param ofKinds settings of each kind
 */
export async function createBenchSite(
  destinationUrl: string,
  furnish: (folder: string) => object | Promise<object> = () => ({}),
  ofKinds: object = {},
): Promise<BenchSite> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-'))
  const certs = join(folder, 'certs')
  await makeDevelopmentCertificates(certs)
  writeFileSync(join(folder, 'token'), OPERATOR_TOKEN)
  const configFile = join(folder, 'portaria.yaml')
  const settings = {
    callbacks: {
      host: '127.0.0.1',
      port: 0,
      certificate: 'certs/server.crt',
      privateKey: 'certs/server.key',
      trust: [
        { environment: 'production', chain: 'certs/trust/production.pem' },
        { environment: 'sandbox', chain: 'certs/trust/sandbox.pem' },
      ],
      kinds: {
        payment: { path: '/callbacks/payment', ...ofKinds },
        charge: { path: '/callbacks/charge', ...ofKinds },
      },
    },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'token' },
    storage: { url: 'sqlite:data/portaria.db' },
    forwarding: { allowedNetworks: ['127.0.0.0/8'], catchUpRate: 'unlimited' },
  }
  const furniture = await furnish(folder)
  const configure = (name: string, url: string) =>
    writeFileSync(configFile, stringify({ ...settings, destinations: [{ name, url, secret: SECRET }], ...furniture }))
  configure('books', destinationUrl)
  return {
    folder,
    certs,
    configFile,
    logFile: join(folder, 'log'),
    deliverTo: (url) => configure(url === destinationUrl ? 'books' : 'shop', url),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
