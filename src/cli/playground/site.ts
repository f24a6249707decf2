import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeDevelopmentCertificates } from '../../certificates/development/development.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'

/** Those of `npm start`. */
const PORTS = { callbacks: 8443, charges: 8444, api: 8080 } as const
const FREE = { callbacks: 0, charges: 0, api: 0 } as const

/** The first line of the configuration: a file without it belongs to another gateway. */
const MARK = '# Written by "portaria playground" at each start.'

/** Files of a gateway that receives from a simulated service in the same folder. */
export interface PlaygroundSite {
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

/**
 * Writes what the folder does not have yet, and the configuration.
 * @throws PortariaError `configuration_invalid` for a folder with the configuration of another gateway, and for one in which files cannot be written
 */
export async function writePlaygroundSite(folder: string, hasAnyPorts: boolean): Promise<PlaygroundSite> {
  try {
    return await writeSite(folder, hasAnyPorts)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const reason = systemWords(error)
    throw new PortariaError(
      'configuration_invalid',
      `cannot use the folder ${folder}: ${reason}; choose another --folder`,
    )
  }
}

async function writeSite(folder: string, hasAnyPorts: boolean): Promise<PlaygroundSite> {
  const configFile = join(folder, 'portaria.yaml')
  if (existsSync(configFile) && !readFileSync(configFile, 'utf8').startsWith(MARK))
    throw new PortariaError(
      'configuration_invalid',
      `${configFile} is the configuration of another gateway: choose another --folder`,
    )
  const certs = join(folder, 'certs')
  makeFolder(certs, 0o700)
  await makeDevelopmentCertificates(certs)
  const configuration = configurationFor(hasAnyPorts ? FREE : PORTS)
  writeFileSync(configFile, `${MARK}\n${stringify(configuration, { aliasDuplicateObjects: false })}`)
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

function configurationFor(ports: Readonly<Record<keyof typeof PORTS, number>>) {
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
    forwarding: { allowedNetworks: ['127.0.0.0/8', '::1'] },
  }
}

function secretIn(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const secret = randomBytes(32).toString('hex')
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return secret
}
