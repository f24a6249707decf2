import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeDevelopmentCertificates } from '../../certificates/development/development.ts'

/** A temporary folder with all that a gateway needs but the service's CA certificates: certificates, secrets, a configuration on free ports. */
export interface DemoSite {
  readonly folder: string
  readonly configFile: string
  /** Authority of the gateway's server certificate. */
  readonly serverCaFile: string
  /** Folder of the simulated service. */
  readonly service: string
  readonly operatorToken: string
  /** Last part of the path of the charge listener. */
  readonly chargeToken: string
}

const CONFIGURATION = {
  callbacks: {
    host: '127.0.0.1',
    port: 0,
    certificate: 'certs/server.crt',
    privateKey: 'certs/server.key',
    // Both exist once the simulated service has started.
    trust: [
      { environment: 'production', chain: 'service/chains/production.pem' },
      { environment: 'sandbox', chain: 'service/chains/sandbox.pem' },
    ],
    kinds: {
      registration: { path: '/callbacks/registration' },
      payment: { path: '/callbacks/payment' },
      charge: { path: '/callbacks/charge' },
    },
  },
  chargeNotifications: {
    host: '127.0.0.1',
    port: 0,
    certificate: 'certs/server.crt',
    privateKey: 'certs/server.key',
    tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
  },
  api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' },
  storage: { url: 'sqlite:data/portaria.db' },
  forwarding: {
    allowedNetworks: ['127.0.0.0/8'],
    // Short waits keep the demo fast; there are enough of them to outlast it.
    schedule: [
      '0s',
      '300ms',
      '300ms',
      '500ms',
      '500ms',
      ...Array<string>(5).fill('1s'),
      ...Array<string>(30).fill('2s'),
    ],
    timeout: '5s',
    circuit: { probeInterval: '1s' },
  },
}

export function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'portaria-demo-'))
}

export async function writeSite(folder: string): Promise<DemoSite> {
  const certs = join(folder, 'certs')
  await makeDevelopmentCertificates(certs)
  const operatorToken = writeSecret(folder, 'operator-token')
  const chargeToken = writeSecret(folder, 'charge-token')
  const configFile = join(folder, 'portaria.yaml')
  writeFileSync(configFile, stringify(CONFIGURATION))
  const serverCaFile = join(certs, 'server-ca.crt')
  return { folder, configFile, serverCaFile, service: join(folder, 'service'), operatorToken, chargeToken }
}

function writeSecret(folder: string, name: string): string {
  const secret = randomBytes(32).toString('hex')
  writeFileSync(join(folder, name), `${secret}\n`, { mode: 0o600 })
  return secret
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
