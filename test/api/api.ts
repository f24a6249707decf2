import { mkdtempSync, rmSync } from 'node:fs'
import { type Agent, request as httpRequest, type RequestOptions } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { type BoundedAnswersOptions, createBoundedAnswers } from '../../src/api/answers/bounded-answers.ts'
import { type ApiOptions, createApiApp } from '../../src/api/app.ts'
import { type AccessTokens, createAccessTokens, newTokenKey } from '../../src/api/auth/access-tokens.ts'
import { requireToken } from '../../src/api/auth/authentication.ts'
import type { CertificateOptions } from '../../src/api/certificates/endpoints.ts'
import { createCheckRuns, type RunCheck } from '../../src/api/check/check-runs.ts'
import { type ClientRegistry, openClientRegistry } from '../../src/api/clients/registry.ts'
import type { DestinationOptions } from '../../src/api/destinations/options.ts'
import { createLongPollRegistry } from '../../src/api/events/long-polls.ts'
import type { GatewayOptions } from '../../src/api/gateway/endpoints.ts'
import { createHostCheck } from '../../src/api/listening/host-check.ts'
import { startApiListener } from '../../src/api/listening/listener.ts'
import type { Work } from '../../src/api/operations.ts'
import { createStreamRegistry, type StreamRegistryOptions } from '../../src/api/streams/stream-registry.ts'
import type { AlarmSource } from '../../src/domain/alarms/alarm-source.ts'
import type { ClientEnvironment } from '../../src/domain/client.ts'
import { createEventBus } from '../../src/domain/event-bus.ts'
import type { InventoryEntry } from '../../src/domain/expiry.ts'
import { kindDefaults, type MaskedKind } from '../../src/domain/kinds.ts'
import { createEventMask } from '../../src/domain/masking/event-mask.ts'
import { overviewOf } from '../../src/domain/overview/light.ts'
import type { OverviewFacts } from '../../src/domain/overview/overview.ts'
import { READINESS_CHECKS } from '../../src/domain/readiness.ts'
import { ENVIRONMENTS, type Realm } from '../../src/domain/realm.ts'
import type { ReconciledKinds } from '../../src/domain/reconcile/reconciled-kinds.ts'
import type { ReconcileProgress, Reconciler } from '../../src/domain/reconcile/reconciler.ts'
import type { RefusedCaller } from '../../src/domain/refusal.ts'
import { type Scope, scopeNames } from '../../src/domain/scopes.ts'
import { newSecret } from '../../src/domain/secrets/webhook-secret.ts'
import type { ChargesService } from '../../src/domain/service/charges-service.ts'
import type { ServiceStatus } from '../../src/domain/service/service-status.ts'
import type { Store } from '../../src/domain/store.ts'
import { createRetentionRunner } from '../../src/jobs/retention-runner.ts'
import { createSearchIndexer } from '../../src/jobs/search-indexer.ts'
import { referenceOf } from '../../src/pages/reference/reference.ts'
import { openStore } from '../../src/store/open-store.ts'
import { contractOf, sharesContract } from '../support/api-contract.ts'
import { quietFacts } from '../support/builders.ts'
import type { Answer } from '../support/calls.ts'
import { type LogLine, OPERATOR_TOKEN, recordingLog } from '../support/gateway.ts'

export interface RunningApi {
  readonly store: Store
  readonly port: number
  readonly lines: readonly LogLine[]
  readonly clients: ClientRegistry
}

/** A caller that the API has refused. */
export interface RefusedHere extends RefusedCaller {
  readonly remoteAddress: string
}

export const API_LIMITS = {
  headersBytes: 16_384,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 2000,
  connectionsPerAddress: 2000,
}

export interface ApiChanges {
  /** Of the database; a new one if left out. */
  file?: string
  /** Instead of one in a file. */
  openStore?: () => Promise<Store>
  store?: Partial<Store>
  kinds?: readonly string[]
  maskedKinds?: readonly MaskedKind[]
  operatorToken?: string | null
  reasons?: readonly string[]
  certificates?: readonly InventoryEntry[]
  diffTrust?: CertificateOptions['diffTrust']
  now?: () => number
  needsCertificate?: boolean
  tokenLifetimeS?: number
  /** What authenticates requests, in place of the tokens of clients alone. */
  tokens?: (ofClients: AccessTokens) => AccessTokens
  places?: number
  overview?: Partial<OverviewFacts>
  runCheck?: RunCheck
  alarms?: Partial<AlarmSource>
  streams?: Omit<StreamRegistryOptions, 'log' | 'answers'>
  answers?: Pick<BoundedAnswersOptions, 'limitBytes' | 'unreadMs'>
  hostNames?: readonly string[]
  about?: NonNullable<ApiOptions['gateway']['about']>
  configuration?: GatewayOptions['configuration']
  reload?: GatewayOptions['reload']
  reloadConfiguration?: GatewayOptions['reloadConfiguration']
  metrics?: GatewayOptions['metrics']
  serviceStatus?: readonly ServiceStatus[]
  reconcile?: Partial<ApiOptions['reconcile']>
  clock?: GatewayOptions['clock']
  unheard?: GatewayOptions['unheard']
  checkUrl?: DestinationOptions['checkUrl']
  testDestination?: DestinationOptions['testDestination']
  runReplays?: Work['runReplays']
  drop?: Work['drop']
  nextProbeOf?: Work['nextProbeOf']
  charges?: Partial<ChargesService>
}

const NOTHING_CHANGES = {
  institution: null,
  environment: 'production' as const,
  activeChains: 0,
  changes: [],
  callersSeen: 0,
  callersRefused: [],
}

const DEFAULT_KINDS = ['registration', 'payment', 'charge'].map((name) => ({ name, path: '', ...kindDefaults(name) }))

/** A service that makes every change. */
const A_SERVICE: ChargesService = {
  problemOf: () => null,
  ownAddressOf: (environment) => `https://gateway.example/charges/token-of-${environment}`,
  changeMetadata: async () => ({ kind: 'done' }),
}

/** The API alone, over a real store and a real socket; nothing is forwarded. It stops with the test. */
export async function startApi(changes: ApiChanges = {}) {
  const api = await runApi(changes)
  onTestFinished(api.stop)
  return api
}

/**
 * One API for several tests of a file, above all for the rows of a table: it starts when the first of them asks for it, and stops with the last.
 * For tests that change nothing, or whose changes cannot meet.
 */
export function sharedApi(changes: ApiChanges = {}) {
  let running: ReturnType<typeof runApi> | undefined
  afterAll(async () => (await running)?.stop())
  return function shared() {
    running ??= runApi(changes)
    return running
  }
}

/** What is reconciled of an environment where the configuration says nothing of it. */
export function reconciledOf(environment: Realm): ReconciledKinds {
  return { environment, payments: 'payment', openings: 'registration', charges: 'charge' }
}

const A_RUN: ReconcileProgress = {
  id: 'rec_1',
  isDryRun: false,
  since: null,
  state: 'done',
  beganAt: Date.UTC(2026, 0, 15),
  endedAt: Date.UTC(2026, 0, 15),
  environments: [],
}

/** Every run is over at once. */
const IDLE_RECONCILER: Reconciler = { start: () => A_RUN, current: () => A_RUN }

/** How the API opens its store. */
export const STORE = { deduplicationWindowMs: 86_400_000, queue: { events: 5000, bytes: 1 << 26 } }

async function runApi(changes: ApiChanges) {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  const inFile = () => openStore({ file: changes.file ?? join(folder, 'portaria.db'), ...STORE })
  const store = await (changes.openStore ?? inFile)()
  const lines: LogLine[] = []
  const { now = () => Date.UTC(2026, 0, 15, 12) } = changes
  const refused: RefusedHere[] = []
  const onRefused = (remoteAddress: string, describe: () => RefusedCaller) =>
    void refused.push({ remoteAddress, ...describe() })
  const names = scopeNames('svc')
  const clients = await openClientRegistry(store, now)
  const tokens = createAccessTokens({
    key: newTokenKey(),
    findClient: clients.find,
    names,
    now,
    ...(changes.tokenLifetimeS !== undefined && { lifetimeS: changes.tokenLifetimeS }),
  })
  const bus = createEventBus()
  const retention = { payloadMs: 90 * 86_400_000, metadataMs: 400 * 86_400_000, kinds: {} }
  const pruning = createRetentionRunner({ store, retention, wake: () => undefined, now, log: recordingLog(lines) })
  const searchIndex = createSearchIndexer({
    store: { ...store, ...changes.store },
    kinds: [],
    now,
    log: recordingLog(lines),
  })
  const waiting = createLongPollRegistry(changes.places)
  const answers = createBoundedAnswers({ log: recordingLog(lines), now, ...changes.answers })
  const streams = createStreamRegistry({ log: recordingLog(lines), answers, ...changes.streams })
  const { operatorToken = OPERATOR_TOKEN } = changes
  const options: ApiOptions = {
    store: { ...store, ...changes.store },
    now,
    log: recordingLog(lines),
    channel: 'api',
    mask: createEventMask(changes.maskedKinds ?? DEFAULT_KINDS),
    guards: { checkHost: createHostCheck(changes.hostNames ?? [], onRefused), loop: null },
    identity: {
      authenticate: requireToken(operatorToken, changes.tokens?.(tokens) ?? tokens, { onRefused, now }),
      clients,
      tokens,
      scopeNames: names,
      needsCertificate: changes.needsCertificate ?? false,
    },
    polling: { bus, waiting },
    streams,
    answers,
    overview: {
      read: async () => overviewOf({ ...(await factsOf(options.store)), ...changes.overview, now: now() }),
      sumUp: async () => undefined,
    },
    alarms: {
      plan: () => ({ quietHours: null, hasHeartbeat: false, channels: [{ name: 'team', kind: 'json' }] }),
      test: async (names) => names.map((channel) => ({ channel, error: null })),
      wake: () => undefined,
      ...changes.alarms,
    },
    checks: createCheckRuns(changes.runCheck ?? (async () => [SUMMARY]), now),
    work: {
      wake: () => undefined,
      drop: changes.drop ?? (() => 0),
      nextProbeOf: changes.nextProbeOf ?? (() => null),
      runReplays: changes.runReplays ?? (() => undefined),
      pruning,
      onReleased: ({ fact }) => bus.publish([fact]),
      onRedacted: () => undefined,
    },
    destinations: {
      kinds: changes.kinds ?? ['registration', 'payment', 'charge'],
      unnamedKinds: changes.kinds ?? ['registration', 'payment', 'charge'],
      institutions: ['bank-a'],
      defaults: { timeoutMs: 15_000, concurrency: 8 },
      newSecret,
      checkUrl: changes.checkUrl ?? (async () => undefined),
      testDestination: changes.testDestination ?? (() => Promise.reject(new Error('not here'))),
      onChanged: async () => undefined,
      statsOf: () => null,
      sendBlockedReason: () => null,
    },
    charges: { ...A_SERVICE, ...changes.charges },
    certificates: {
      listCertificates: async () => changes.certificates ?? [],
      diffTrust: changes.diffTrust ?? (async () => NOTHING_CHANGES),
      clientChain: () => '',
    },
    service: {
      async readServiceStatus() {
        await options.store.countWaitingTokens()
        return changes.serviceStatus ?? []
      },
    },
    reconcile: {
      realms: ENVIRONMENTS,
      kinds: () => ENVIRONMENTS.map(reconciledOf),
      reconciler: IDLE_RECONCILER,
      takeUp: null,
      ...changes.reconcile,
    },
    searchIndex,
    gateway: {
      version: '0.1.0',
      checkReadiness: () =>
        READINESS_CHECKS.map((name, index) => ({ name, problem: changes.reasons?.[index] ?? null })),
      clock: changes.clock ?? { state: () => ({ isPlausible: true, problem: null }), confirm: async () => undefined },
      unheard: changes.unheard ?? (() => null),
      now,
      about: changes.about ?? null,
      configuration: changes.configuration ?? null,
      reload: changes.reload ?? null,
      trustInUse: null,
      reloadConfiguration: changes.reloadConfiguration ?? null,
      announceOwn: null,
      writeReference: async (document) => referenceOf(document),
      metrics: changes.metrics ?? null,
    },
  }
  const listener = await startApiListener(createApiApp(options).serve, {
    host: '127.0.0.1',
    port: 0,
    tls: null,
    limits: API_LIMITS,
    proxyProtocol: [],
    isOwn: () => false,
    onRefused: () => undefined,
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    streams.close()
    stopping ??= listener
      .stop()
      .then(() => Promise.all([pruning.stop(), searchIndex.stop()]))
      .then(() => store.close())
      .then(() => rmSync(folder, { recursive: true }))
    return stopping
  }
  const api = { store, port: listener.port, lines, refused, clients, bus, waiting, streams, searchIndex, options, stop }
  sharesContract(api, documentKey(changes))
  return api
}

/** What the document of the API depends on. */
function documentKey({
  kinds,
  needsCertificate,
  about,
  reload,
  reloadConfiguration,
  metrics,
  reconcile,
}: ApiChanges): string {
  const isThere = [about, reload, reloadConfiguration, metrics].map((one) => one !== undefined && one !== null)
  const startsRuns = reconcile?.reconciler !== null
  return JSON.stringify({ kinds, needsCertificate, isThere, startsRuns, isOpen: metrics?.isOpen })
}

/** Of the gateway that commands on the control socket reach. */
export const ABOUT = {
  version: '0.1.0',
  startedAt: '2026-01-15T12:00:00Z',
  database: { file: '/data/portaria.db', inode: null },
  passed: {},
  descriptors: null,
}

/** What the check prints that finds nothing. */
const SUMMARY = '{"ok":true,"good":0,"warnings":0,"problems":0,"accepted":0}'

/** Of a gateway that has just started and where all is well. */
async function factsOf(store: Pick<Store, 'takeSnapshot'>): Promise<Omit<OverviewFacts, 'now'>> {
  return { ...quietFacts(), stored: await store.takeSnapshot() }
}

/** The Authorization header of a new client with these scopes, from the token endpoint. */
export async function asClient(
  api: RunningApi,
  scopes: readonly Scope[],
  { name = `app-${scopes.join('-')}`, environment = 'any' }: { name?: string; environment?: ClientEnvironment } = {},
): Promise<{ authorization: string; id: string }> {
  const { client, secret } = await api.clients.create({ name: name.slice(0, 60), environment, scopes })
  const { access_token: token } = await askJson<{ access_token: string }>(api, '/oauth/token', {
    method: 'POST',
    authorization: `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`,
    headers: { 'content-type': 'application/json' },
    body: '{"grant_type":"client_credentials"}',
  })
  return { authorization: `Bearer ${token}`, id: client.id }
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
  /** Replaces the operator's token; null sends none. */
  readonly authorization?: string | null
  readonly localAddress?: string
  /** Left out: a connection of its own. */
  readonly agent?: Agent
}

/** A request as it is written here, with the operator's token. What comes back must be as the API's own document says. */
export async function ask(
  api: { port: number },
  path: string,
  options: AskOptions = {},
): Promise<Answer & { bytes: Buffer }> {
  const { method = 'GET', authorization = `Bearer ${OPERATOR_TOKEN}`, body, localAddress, agent = false } = options
  const headers = {
    ...(authorization !== null && { authorization }),
    // Node leaves it out where a method seldom has a body.
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  }
  const contract = await contractOf(api)
  const at = { port: api.port, path, method, headers, agent, ...(localAddress && { localAddress }) }
  const answer = await send(at, body)
  contract?.judge({ ...answer, method, target: path, requestHeaders: headers, requestBody: body })
  return answer
}

function send(options: RequestOptions, body: AskOptions['body']): Promise<Answer & { bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', ...options }, async (response) => {
      // It does not end: its head is the answer.
      if (response.headers['content-type'] === 'text/event-stream') {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: '', bytes: Buffer.alloc(0) })
        request.destroy()
        return
      }
      const bytes = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString('utf8'), bytes })
    })
    request.on('error', reject)
    request.end(body)
  })
}

export async function askJson<T = Record<string, unknown>>(api: { port: number }, path: string, options?: AskOptions) {
  const answer = await ask(api, path, options)
  return JSON.parse(answer.body) as T
}

export function post(api: { port: number }, path: string, body?: unknown) {
  return ask(api, path, {
    method: 'POST',
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
}

export function patch(api: { port: number }, path: string, body: unknown) {
  const headers = { 'content-type': 'application/merge-patch+json' }
  return ask(api, path, { method: 'PATCH', body: JSON.stringify(body), headers })
}
