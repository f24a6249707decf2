import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeDevelopmentCertificates } from '../../certificates/development/development.ts'

/** Any that are free. */
export const FREE_PORTS = { callbacks: 0, charges: 0, api: 0 } as const

/** Files of a gateway that receives from a simulated service in the same folder. */
export interface LocalSite {
  readonly folder: string
  readonly configFile: string
  /** Authority of the gateway's server certificate. */
  readonly serverCaFile: string
  /** Folder of the simulated service. */
  readonly service: string
  readonly operatorTokenFile: string
  readonly operatorToken: string
  /** Last part of the path of the charge listener. */
  readonly chargeToken: string
}

export interface SiteOptions {
  readonly ports: Readonly<Record<keyof typeof FREE_PORTS, number>>
  /** The section of the configuration. */
  readonly forwarding: object
  /** Comment in the first line of the configuration. */
  readonly mark: string
}

/** Writes the configuration, and the certificates and secrets that the folder does not have yet. The service makes its CA certificates itself. */
export async function writeSite(folder: string, { ports, forwarding, mark }: SiteOptions): Promise<LocalSite> {
  const certs = join(folder, 'certs')
  await makeDevelopmentCertificates(certs)
  const configFile = join(folder, 'portaria.yaml')
  const configuration = { ...configurationFor(ports), forwarding }
  writeFileSync(configFile, `${mark}\n${stringify(configuration, { aliasDuplicateObjects: false })}`)
  const operatorTokenFile = join(folder, 'operator-token')
  return {
    folder,
    configFile,
    serverCaFile: join(certs, 'server-ca.crt'),
    service: join(folder, 'service'),
    operatorTokenFile,
    operatorToken: secretIn(operatorTokenFile),
    chargeToken: secretIn(join(folder, 'charge-token')),
  }
}

function configurationFor(ports: SiteOptions['ports']) {
  const listener = { host: '127.0.0.1', certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
  return {
    callbacks: {
      ...listener,
      port: ports.callbacks,
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
      ...listener,
      port: ports.charges,
      tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
    },
    api: { host: '127.0.0.1', port: ports.api, operatorTokenFile: 'operator-token' },
    storage: { url: 'sqlite:data/portaria.db' },
  }
}

function secretIn(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const secret = randomBytes(32).toString('hex')
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return secret
}
