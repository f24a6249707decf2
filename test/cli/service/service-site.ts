import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import type { Environment } from '../../../simulator/src/interfaces.ts'
import { type RunningSimulator, runSimulator } from '../../../simulator/test/running.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'

export interface ServiceSite {
  readonly running: RunningSimulator
  readonly site: TestSite
  readonly gateway: TestGateway
  /** Token of the charge listener, of the sandbox. */
  readonly chargeToken: string
  /** https://localhost:PORT, of the callback listener. */
  readonly publicUrl: string
  /** https://localhost:PORT, of the charge listener. */
  readonly chargesUrl: string
  /** Options with which the address check trusts the gateway's certificate and is trusted. */
  readonly checkOptions: readonly string[]
  /** Writes the configuration file again, with other top-level keys. */
  configure(changes: Record<string, unknown>): void
}

/** A simulator and a gateway that is its client in the sandbox, with the simulator's chain installed beside that of the test CA. */
export async function createServiceSite({
  settings = {},
  environments = ['sandbox'],
}: {
  settings?: Record<string, unknown>
  environments?: readonly Environment[]
} = {}): Promise<ServiceSite> {
  const chargeToken = randomBytes(32).toString('hex')
  const site = await createSite(keysOf())
  writeFileSync(join(site.folder, 'charge-token'), `${chargeToken}\n`, { mode: 0o600 })
  const running = await runSimulator(settings, { receiverCaFile: join(site.certs, 'server-ca.crt') })
  // A gateway finishes its connections before the simulator stops.
  onTestFinished(() => running.stop())
  for (const environment of environments) installChain(site, running, environment)
  const gateway = await startTestGateway(site)
  const publicUrl = `https://localhost:${gateway.callbacks.port}`
  const chargesUrl = `https://localhost:${gateway.charges?.port}`
  function configure(changes: Record<string, unknown>): void {
    const keys = { ...keysOf({ publicUrl, chargesUrl }), service: [serviceEntry(site, running)] }
    writeFileSync(site.configFile, stringify({ ...keys, ...changes }))
  }
  configure({})
  const file = (name: string) => join(site.certs, name)
  const checkOptions = ['--ca', file('server-ca.crt'), '--cert', file('service/sandbox-client.crt')]
  checkOptions.push('--key', file('service/sandbox-client.key'))
  return { running, site, gateway, chargeToken, publicUrl, chargesUrl, checkOptions, configure }
}

/** Top-level keys of the configuration, those of a TestSite included. */
function keysOf({ publicUrl, chargesUrl }: { publicUrl?: string; chargesUrl?: string } = {}) {
  const files = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
  return {
    callbacks: {
      ...BASE_CALLBACKS,
      kinds: { ...BASE_CALLBACKS.kinds, openBanking: { path: '/callbacks/open-banking' } },
      ...(publicUrl !== undefined && { publicUrl }),
    },
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      ...files,
      tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
      ...(chargesUrl !== undefined && { publicUrl: chargesUrl }),
    },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' },
    storage: { url: 'sqlite:data/portaria.db', minFreeSpace: '256MiB' },
    forwarding: { allowedNetworks: ['127.0.0.0/8', '::1'] },
  }
}

/** An entry of the section `service`, whose credentials are those of the first application; its secret is written to a file. */
export function serviceEntry(site: TestSite, running: RunningSimulator, environment: Environment = 'sandbox') {
  const [application] = running.simulator.sites[environment].applications.list()
  const { cert, key } = running.tlsOf(environment)
  mkdirSync(join(site.folder, 'service'), { recursive: true })
  const write = (name: string, text: string) => {
    writeFileSync(join(site.folder, 'service', name), text, { mode: 0o600 })
    return `service/${name}`
  }
  const base = (on: Parameters<RunningSimulator['baseOf']>[0]) => running.baseOf(on, environment)
  return {
    environment,
    baseAddresses: {
      account: base('account'),
      payment: base('payment'),
      registration: base('registration'),
      openBanking: base('open-banking'),
      charges: base('charges'),
    },
    clientId: application?.clientId,
    clientSecret: write(`${environment}-secret`, `${application?.clientSecret}\n`),
    certificate: write(`${environment}.crt`, cert),
    privateKey: write(`${environment}.key`, key),
    authorities: write('authorities.pem', running.simulator.folder.root),
  }
}

/** As `certs trust stage` and `activate` do. */
export function installChain({ certs }: TestSite, { simulator }: RunningSimulator, environment: Environment): void {
  const folder = join(certs, 'trust', environment)
  mkdirSync(folder, { recursive: true })
  cpSync(simulator.folder.environments[environment].chainFile, join(folder, 'simulator.pem'))
}

/** The file as it is, for a test that changes it. */
export function textOf(file: string): string {
  return readFileSync(file, 'utf8')
}
