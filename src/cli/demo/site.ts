import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeDevelopmentCertificates } from '../../certificates/development/development.ts'

const LISTENER = { host: '127.0.0.1', port: 0, certificate: 'certs/server.crt', privateKey: 'certs/server.key' }

const CONFIGURATION = {
  callbacks: {
    ...LISTENER,
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
  chargeNotifications: { ...LISTENER, tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }] },
  api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' },
  storage: { url: 'sqlite:data/portaria.db' },
  forwarding: {
    allowedNetworks: ['127.0.0.0/8'],
    // Short waits keep the demo fast; there are enough of them to outlast it.
    schedule: ['0s', '300ms', '300ms', '500ms', '500ms', ...Array(5).fill('1s'), ...Array(30).fill('2s')],
    timeout: '5s',
    circuit: { probeInterval: '1s' },
  },
}

/** All that a gateway needs but the service's CA certificates: certificates, secrets, a configuration on free ports. */
export type DemoSite = Awaited<ReturnType<typeof writeSite>>

export async function writeSite(folder: string) {
  const certs = join(folder, 'certs')
  await makeDevelopmentCertificates(certs)
  const configFile = join(folder, 'portaria.yaml')
  writeFileSync(configFile, stringify(CONFIGURATION, { aliasDuplicateObjects: false }))
  return {
    folder,
    configFile,
    /** Authority of the gateway's server certificate. */
    serverCaFile: join(certs, 'server-ca.crt'),
    /** Folder of the simulated service. */
    service: join(folder, 'service'),
    operatorToken: writeSecret(folder, 'operator-token'),
    /** Last part of the path of the charge listener. */
    chargeToken: writeSecret(folder, 'charge-token'),
  }
}

function writeSecret(folder: string, name: string): string {
  const secret = randomBytes(32).toString('hex')
  writeFileSync(join(folder, name), `${secret}\n`, { mode: 0o600 })
  return secret
}
