import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler, Router } from 'express'
import { balanceEndpoint } from '../account/balance-endpoint.ts'
import { ledgerControl } from '../account/control.ts'
import { keyEndpoints } from '../account/key-endpoints.ts'
import { accountSettingsEndpoints } from '../account/settings-endpoints.ts'
import { statementEndpoints } from '../account/statements/endpoints.ts'
import { type Account, type Application, createApplications } from '../applications.ts'
import { billControl } from '../bills/control.ts'
import { billEndpoints } from '../bills/endpoints.ts'
import { paymentWebhookEndpoints } from '../bills/webhook-endpoints.ts'
import { carnetControl } from '../carnets/control.ts'
import { carnetEndpoints } from '../carnets/endpoints.ts'
import { carnetPages } from '../carnets/pages.ts'
import { chargeControl } from '../charges/control.ts'
import { chargeEndpoints } from '../charges/endpoints.ts'
import { instantPaymentControl } from '../charges/instant-payment-control.ts'
import { billetPages } from '../charges/pages/billet-page.ts'
import { payloadPages } from '../charges/pages/payload-page.ts'
import { paymentPages } from '../charges/pages/payment-page.ts'
import { type ClockState, createClock } from '../clock.ts'
import { accountsControl } from '../control/accounts-control.ts'
import { applicationsControl } from '../control/applications-control.ts'
import { callbacksControl } from '../control/callbacks-control.ts'
import { certificatesControl, isCertificateRefused } from '../control/certificates-control.ts'
import { chainsControl } from '../control/chains-control.ts'
import { clockControl } from '../control/clock-control.ts'
import { outboxControl } from '../control/outbox-control.ts'
import { resetControl } from '../control/reset-control.ts'
import { tokensControl } from '../control/tokens-control.ts'
import { type ControlAccess, LOOPBACK } from '../control-api/access.ts'
import type { ControlEndpoint } from '../control-api/control-endpoint.ts'
import { createControlServer } from '../control-api/control-server.ts'
import { createInterface } from '../documents/interface-router.ts'
import { messageOf, SimulatorError } from '../errors.ts'
import { applyApiFaults, limitRate } from '../faults/api-faults.ts'
import { faultControl } from '../faults/control.ts'
import { createFaults } from '../faults/faults.ts'
import { openFolder, type SimulatorFolder } from '../folder/folder.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { type Callers, createEnvironmentServer } from '../http/environment-server.ts'
import { createPages, type Page } from '../http/pages.ts'
import { withSegment } from '../http/path-segment.ts'
import { createTokens } from '../http/tokens.ts'
import { ENVIRONMENTS, type Environment, INTERFACES, type Interface } from '../interfaces.ts'
import { listen } from '../listen.ts'
import { notificationEndpoints } from '../notifications/endpoints.ts'
import { openBankingControl } from '../open-banking/control.ts'
import { openBankingEndpoints } from '../open-banking/endpoints.ts'
import { createLocalGateway, gatewayControl } from '../playground/local-gateway.ts'
import { createSurroundings } from '../playground/surroundings.ts'
import { openRecords, type Records } from '../records.ts'
import { registrationControl } from '../registration/control.ts'
import { openingEndpoints } from '../registration/opening-endpoints.ts'
import { openingPages } from '../registration/opening-page.ts'
import { registrationWebhookEndpoints } from '../registration/webhook-endpoints.ts'
import { readSettings, type Settings } from '../settings.ts'
import type { Site } from '../site.ts'
import { subscriptionControl } from '../subscriptions/control.ts'
import { subscriptionEndpoints } from '../subscriptions/endpoints.ts'
import { createTasks } from '../tasks.ts'
import { createCallbackFaults } from '../webhooks/callback-faults.ts'
import { createWebhooks } from '../webhooks/webhooks.ts'

export interface SimulatorOptions {
  /** Port of the sandbox; production has the next one. 0: any two. */
  readonly port: number
  /** Port of the control API and of the playground. 0: any. */
  readonly controlPort: number
  /** Left out: on loopback, without a token. */
  readonly controlAccess?: ControlAccess
  /** Address to listen on; null: 127.0.0.1 and ::1. */
  readonly host: string | null
  readonly folder: string
  /** Keeps the state in simulator.db of the folder. */
  readonly isKept: boolean
  readonly settingsFile: string | null
  /** PEM file of authorities of receivers' server certificates, besides the public ones. */
  readonly receiverCaFile: string | null
  /** Called with failures that are not answers. */
  readonly report: (error: unknown) => void
}

export interface Simulator {
  readonly ports: Readonly<Record<Environment, number>>
  readonly controlPort: number
  /** null: loopback. */
  readonly controlHost: string | null
  readonly folder: SimulatorFolder
  readonly settings: Settings
  readonly sites: Readonly<Record<Environment, Site>>
  stop(): Promise<void>
}

/** The endpoints of each interface. */
const ENDPOINTS: Readonly<Record<Interface, (site: Site) => readonly Endpoint[]>> = {
  account: (site) => [
    ...keyEndpoints(site),
    balanceEndpoint(site),
    ...accountSettingsEndpoints(site),
    ...statementEndpoints(site),
  ],
  payment: (site) => [...billEndpoints(site), ...paymentWebhookEndpoints(site)],
  registration: (site) => [...registrationWebhookEndpoints(site), ...openingEndpoints(site)],
  'open-banking': (site) => openBankingEndpoints(site),
  charges: (site) => [
    ...chargeEndpoints(site),
    ...subscriptionEndpoints(site),
    ...carnetEndpoints(site),
    ...notificationEndpoints(site),
  ],
}

/** Pages for people, outside the interfaces: they need no client certificate. */
const PAGES: readonly ((site: Site) => readonly Page[])[] = [
  openingPages,
  paymentPages,
  billetPages,
  carnetPages,
  payloadPages,
]

/** The endpoints of the control API. */
const CONTROL: readonly ControlEndpoint[] = [
  ...clockControl(),
  ...accountsControl(),
  ...ledgerControl(),
  ...applicationsControl(),
  ...outboxControl(),
  ...billControl(),
  ...registrationControl(),
  ...openBankingControl(),
  ...chargeControl(),
  ...instantPaymentControl(),
  ...subscriptionControl(),
  ...carnetControl(),
  ...resetControl(),
  ...tokensControl(),
  ...certificatesControl(),
  ...chainsControl(),
  ...callbacksControl(),
  ...faultControl(),
]

/**
 * Starts the service of both environments.
 * @throws SimulatorError for what its operator can mend; then nothing is left open
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const settings = readSettings(options.settingsFile)
  const givenCa = options.receiverCaFile === null ? '' : readReceiverCa(options.receiverCaFile)
  const folder = await openFolder(options.folder, { now: () => new Date(), hostNames: hostNamesOf(settings) })
  // A receiver on this machine may show the certificate that the simulator itself has.
  const receiverCa = `${folder.root}\n${givenCa}`
  await using opened = new AsyncDisposableStack()
  const records = openRecords(options.isKept ? join(folder.path, 'simulator.db') : null)
  opened.defer(() => records.close())
  const clockStates = records.collection<ClockState>('clock')
  const clock = createClock(Date.now, clockStates.get('state'), (state) => clockStates.put('state', state))
  const tasks = createTasks(records, clock, options.report)
  opened.defer(() => tasks.stop())

  const ports: Partial<Record<Environment, number>> = {}
  function createSite(environment: Environment): Site {
    const faults = createFaults(records, environment)
    return {
      environment,
      settings,
      clock,
      tasks,
      records,
      folder,
      faults,
      origin: () => `https://localhost:${ports[environment]}`,
      collection: (name) => records.collection(`${environment}.${name}`),
      applications: applicationsOf(folder, environment, records, settings.servicePathSegment),
      tokens: createTokens(),
      webhooks: createWebhooks({
        environment,
        records,
        clock,
        tasks,
        receiverCa,
        settings: settings.webhooks,
        faults: createCallbackFaults({ environment, records, clock, tasks, folder, faults }),
        credentials: () => {
          const { cert, key } = folder.environments[environment].client
          return { certificate: cert, privateKey: key }
        },
      }),
    }
  }

  async function open(site: Site, port: number): Promise<number> {
    const server = serverOf(site, folder, options.report)
    const listening = await listen(server, { host: options.host, port, option: '--port' })
    opened.defer(() => listening.close())
    ports[site.environment] = listening.port
    return listening.port
  }

  const sites = { sandbox: createSite('sandbox'), production: createSite('production') }
  const sandbox = await open(sites.sandbox, options.port)
  const production = await open(sites.production, options.port === 0 ? 0 : options.port + 1)
  const access = options.controlAccess ?? LOOPBACK
  const gateway = createLocalGateway()
  const endpoints = [...CONTROL, ...gatewayControl(gateway)]
  const surroundings = createSurroundings({ sites, ports: () => ({ sandbox, production }), folder, control: endpoints })
  opened.defer(() => surroundings.close())
  const playground = whenAsked(async () => {
    const { createPlayground } = await import('../playground/playground.ts')
    return createPlayground({ surroundings, gateway, access, report: options.report })
  })
  const control = await listen(createControlServer(sites, endpoints, { access, playground }), {
    host: access.host,
    port: options.controlPort,
    option: '--control-port',
  })
  opened.defer(() => control.close())
  tasks.start()
  const closing = opened.move()
  return {
    ports: { sandbox, production },
    controlPort: control.port,
    controlHost: access.host,
    folder,
    settings,
    sites,
    stop: () => closing.disposeAsync(),
  }
}

/** Loads a handler with its first request: a start needs none of it. */
function whenAsked(load: () => Promise<RequestHandler>): RequestHandler {
  let loading: Promise<RequestHandler> | undefined
  return async function handle(request, response, next) {
    loading ??= load()
    const handler = await loading
    await handler(request, response, next)
  }
}

function serverOf(site: Site, folder: SimulatorFolder, report: (error: unknown) => void) {
  const { environment, settings, applications, clock, tokens } = site
  const limit = limitRate(settings.rateLimit, tokens, Date.now)
  const authorities = folder.environments[environment].accountAuthorities

  function routersOf({ fingerprintOf }: Callers): Record<Interface, Router> {
    const routers = INTERFACES.map((name) => {
      const { lifetimeSeconds, chargesLifetimeSeconds } = settings.tokens
      const rules = {
        interface: name,
        applications,
        tokens,
        realNow: Date.now,
        lifetimeSeconds: name === 'charges' ? chargesLifetimeSeconds : lifetimeSeconds,
      }
      const router = createInterface({
        rules,
        fingerprintOf,
        report,
        endpoints: ENDPOINTS[name](site),
        segment: settings.servicePathSegment,
        paymentExtras: settings.webhooks.paymentExtras,
        now: () => clock.now(),
        before: [limit, applyApiFaults(name, site)],
      })
      return [name, router] as const
    })
    return Object.fromEntries(routers) as Record<Interface, Router>
  }

  return createEnvironmentServer(
    {
      certificate: folder.server.cert,
      privateKey: folder.server.key,
      clientCa: authorities,
      pages: createPages(
        PAGES.flatMap((pagesOf) => pagesOf(site)),
        report,
      ),
      isAccountCertificate: ({ raw }) => folder.verifyAccountCertificate(raw, environment),
      isRefused: (fingerprint) => isCertificateRefused(site, fingerprint),
      hostNames: new Map(
        INTERFACES.flatMap((name) => (settings.hostNames[environment][name] ?? []).map((host) => [host, name])),
      ),
      publishedChains: () =>
        Object.fromEntries(ENVIRONMENTS.map((one) => [`${one}.pem`, folder.environments[one].chain])),
    },
    routersOf,
  )
}

function applicationsOf(folder: SimulatorFolder, environment: Environment, records: Records, segment: string) {
  const { applications, accounts } = folder.environments[environment]
  return createApplications(
    {
      applications: applications.map(({ clientId, clientSecret, account, scopes, interfaces = INTERFACES }) => ({
        clientId,
        clientSecret,
        account: account.number,
        interfaces,
        scopes: scopes.map((scope) => withSegment(scope, segment)),
      })),
      accounts: accounts.map(({ certificateFingerprint256, ...account }) => ({
        ...account,
        fingerprints: [certificateFingerprint256],
      })),
    },
    {
      applications: records.collection<Application>(`${environment}.applications`),
      accounts: records.collection<Account>(`${environment}.accounts`),
      scopes: records.collection<readonly string[]>(`${environment}.scopes`),
    },
  )
}

function hostNamesOf({ hostNames }: Settings): string[] {
  return ENVIRONMENTS.flatMap((environment) => Object.values(hostNames[environment]).flat())
}

function readReceiverCa(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  } catch (cause) {
    throw new SimulatorError(
      'settings_invalid',
      `--receiver-ca ${file} cannot be read (${messageOf(cause)}): ` +
        'give the certificate of the authority that issued your server certificate; the first "npm start" makes certs/server-ca.crt',
      { cause },
    )
  }
  throw new SimulatorError(
    'settings_invalid',
    `${file} has no certificate in PEM: give --receiver-ca the certificate of the authority that issued your server certificate`,
  )
}
