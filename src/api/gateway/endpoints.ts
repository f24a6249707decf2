import type { Clock } from '../../domain/clock.ts'
import type { ConfigurationState } from '../../domain/configuration-state.ts'
import type { Unheard } from '../../domain/nodes/foreign-changes.ts'
import type { ReadinessCheck } from '../../domain/readiness.ts'
import { membersOf } from '../audit/details.ts'
import { endpoint } from '../http/endpoint.ts'
import type { View } from '../http/schema-parts.ts'
import {
  aboutSchema,
  aliveSchema,
  expectedFileSchema,
  ownConnectionSchema,
  readinessSchema,
  reloadedSchema,
  reloadQuerySchema,
  renewedSchema,
  trustInUseSchema,
} from './schema.ts'

export interface GatewayOptions {
  readonly version: string
  readonly checkReadiness: () => readonly ReadinessCheck[]
  readonly clock: Clock
  /** As in OverviewFacts. */
  readonly unheard: () => Unheard | null
  readonly now: () => number
  /** For commands on the control socket: what runs here, and whose database it is; null: not served. */
  readonly about: Omit<View<typeof aboutSchema>, 'configuration'> | null
  /** null: no gateway runs. */
  readonly configuration: (() => ConfigurationState) | null
  /** Reads certificates and chains again; null: not served. */
  readonly reload: (() => Promise<Renewed>) | null
  /** The chains that callers are verified by now; null: no gateway runs. */
  readonly trustInUse: (() => View<typeof trustInUseSchema>) | null
  /** Reads the configuration file again; null: not served. @throws PortariaError `conflict` for another file than the expected one, and PortariaError for a file with mistakes, which changes nothing */
  readonly reloadConfiguration: ((expected: ExpectedFile) => Promise<ReloadedConfiguration>) | null
  /** Takes the port that a command will connect from, so that a refusal of that connection is not reported; null: not served. */
  readonly announceOwn: ((port: number) => void) | null
  /** The document of the API as a page. */
  readonly writeReference: (document: object) => Promise<Reference>
  /** null: nothing is measured, because no gateway runs. */
  readonly metrics: MetricsSource | null
}

export interface Reference {
  readonly page: Uint8Array
  readonly contentSecurityPolicy: string
}

type Renewed = View<typeof renewedSchema>

/** The file that a command means; left out: whichever the gateway has. */
export type ExpectedFile = View<typeof expectedFileSchema>

export type ReloadedConfiguration = View<typeof reloadedSchema>

export interface MetricsSource {
  /** Without a token; otherwise for the operator and clients with `operations.read`. */
  readonly isOpen: boolean
  readonly contentType: string
  /** In the text format of Prometheus. */
  readonly text: () => Promise<string>
}

/** For commands on the control socket. */
export function controlEndpoints({
  about,
  configuration,
  reload,
  trustInUse,
  reloadConfiguration,
  announceOwn,
}: Pick<GatewayOptions, 'about' | 'configuration' | 'reload' | 'trustInUse' | 'reloadConfiguration' | 'announceOwn'>) {
  return {
    ...(about !== null && { showGateway: showGateway(about, configuration) }),
    ...(reload !== null && { reloadGateway: reloadGateway(reload) }),
    ...(trustInUse !== null && { showTrust: showTrust(trustInUse) }),
    ...(reloadConfiguration !== null && { reloadConfiguration: reloadConfigurationFile(reloadConfiguration) }),
    ...(announceOwn !== null && { announceConnection: announceConnection(announceOwn) }),
  }
}

function showGateway(about: NonNullable<GatewayOptions['about']>, configuration: GatewayOptions['configuration']) {
  return endpoint({
    method: 'get',
    path: '/v1/gateway',
    access: 'operator',
    tag: 'Operations',
    errors: 'problem',
    summary: 'Show the running gateway',
    answers: { 200: { description: 'The gateway.', schema: aboutSchema } },
    run: () => ({ json: { ...about, configuration: configuration?.() ?? null } }),
  })
}

function reloadGateway(reload: NonNullable<GatewayOptions['reload']>) {
  return endpoint({
    method: 'post',
    path: '/v1/gateway/reload',
    access: 'operator',
    tag: 'Operations',
    errors: 'problem',
    summary: 'Reload certificates and chains',
    query: reloadQuerySchema,
    details: ({ query }) => membersOf(query, ['change']),
    answers: {
      200: { description: 'Everything was reloaded, except what has a problem.', schema: renewedSchema },
    },
    run: async () => ({ json: await reload() }),
  })
}

function showTrust(trustInUse: NonNullable<GatewayOptions['trustInUse']>) {
  return endpoint({
    method: 'get',
    path: '/v1/gateway/trust',
    access: 'operator',
    tag: 'Operations',
    errors: 'problem',
    summary: 'Show the chains in use',
    answers: { 200: { description: 'The chains, and the files that cannot be used.', schema: trustInUseSchema } },
    run: () => ({ json: trustInUse() }),
  })
}

function reloadConfigurationFile(reload: NonNullable<GatewayOptions['reloadConfiguration']>) {
  return endpoint({
    method: 'post',
    path: '/v1/gateway/configuration/reload',
    access: 'operator',
    tag: 'Operations',
    errors: 'problem',
    summary: 'Reload the configuration file',
    description: 'As SIGHUP does. A file with mistakes changes nothing.',
    query: expectedFileSchema,
    answers: {
      200: { description: 'The gateway uses the file, except what has a problem.', schema: reloadedSchema },
      409: { description: 'The gateway is still starting, or runs with another file.' },
      422: { description: 'The file has mistakes; nothing was changed.' },
    },
    run: async ({ query }) => ({ json: await reload(query) }),
  })
}

function announceConnection(announce: NonNullable<GatewayOptions['announceOwn']>) {
  return endpoint({
    method: 'post',
    path: '/v1/gateway/own-connections',
    access: 'operator',
    tag: 'Operations',
    errors: 'problem',
    recording: 'off',
    summary: 'Announce a test connection',
    description:
      'For a command on the machine of the gateway: a refusal of its next connection from that port is not reported. ' +
      'Holds for one connection, and for a minute.',
    query: ownConnectionSchema,
    answers: { 204: { description: 'Announced.' } },
    run({ query }) {
      announce(query.port)
      return { status: 204 }
    },
  })
}

const open = { method: 'get', access: 'public', errors: 'problem' } as const

type HealthOptions = Pick<GatewayOptions, 'version' | 'checkReadiness' | 'clock' | 'configuration' | 'unheard' | 'now'>

export function healthEndpoints(options: HealthOptions) {
  return {
    isAlive: isAlive(options),
    isReady: isReady(options),
  }
}

function isAlive({ version }: Pick<GatewayOptions, 'version'>) {
  return endpoint({
    ...open,
    path: '/healthz',
    tag: 'Operations',
    summary: 'Liveness',
    answers: { 200: { description: 'The gateway answers.', schema: aliveSchema } },
    run: () => ({ json: { status: 'alive' as const, version } }),
  })
}

function isReady({ checkReadiness, configuration, ...options }: Omit<HealthOptions, 'version'>) {
  return endpoint({
    ...open,
    path: '/readyz',
    tag: 'Operations',
    summary: 'Readiness',
    answers: {
      200: { description: 'The gateway is ready.', schema: readinessSchema },
      503: {
        description: 'The gateway is not ready, for the listed reasons.',
        schema: readinessSchema,
        type: 'application/json',
      },
    },
    run() {
      const all = checkReadiness()
      const reasons = all.flatMap(({ problem }) => problem ?? [])
      const status: 'ready' | 'not ready' = reasons.length === 0 ? 'ready' : 'not ready'
      const checks = Object.fromEntries(all.map(({ name, problem }) => [name, problem ?? 'good']))
      const used = configuration?.() ?? null
      const warnings = [...warningsOf(options), ...configurationWarnings(used)]
      const view = { status, reasons, checks, warnings, configuration: used && publicView(used) }
      return { status: reasons.length === 0 ? 200 : 503, json: view }
    },
  })
}

/** Problems that need an operator although callbacks are stored and delivered. */
function warningsOf({ clock, unheard, now }: Pick<HealthOptions, 'clock' | 'unheard' | 'now'>): string[] {
  const { problem } = clock.state()
  const deaf = unheard()
  return [...(problem === null ? [] : [problem]), ...(deaf === null ? [] : [unheardWords(deaf, now())])]
}

/** Public: without the reason, which names the database. */
function unheardWords({ since }: Unheard, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000))
  return `changes of other nodes have not been heard for ${seconds} s, only looked for: see nodes.not_heard in the log`
}

function configurationWarnings(used: ConfigurationState | null): string[] {
  if (used === null) return []
  const { needRestart, problem } = used
  return [
    ...(needRestart.length === 0 ? [] : [`changed keys wait for a restart: ${needRestart.join(', ')}`]),
    ...(problem === null ? [] : ['the configuration file could not be taken up: the earlier one is in use']),
  ]
}

/** Without the path, and without what is wrong with the file. */
function publicView({ sha256, generation, needRestart }: ConfigurationState) {
  return { sha256, generation, needRestart }
}

/** Public: the document contains nothing that is not in the manual. @param describe called once, for the first request */
export function documentEndpoint(describe: () => Promise<object>) {
  let text: Buffer | null = null
  return endpoint({
    ...open,
    path: '/openapi.json',
    tag: 'Contract',
    summary: 'Get this document',
    description: 'OpenAPI 3.1, for the configuration of this gateway.',
    answers: { 200: { description: 'This document.', type: 'application/json' } },
    async run() {
      text ??= Buffer.from(JSON.stringify(await describe()))
      return { jsonText: text }
    },
  })
}

/** The same document for people. @param write called once, for the first request */
export function referenceEndpoint(describe: () => Promise<object>, write: GatewayOptions['writeReference']) {
  let written: Reference | null = null
  return endpoint({
    ...open,
    path: '/reference',
    tag: 'Contract',
    summary: 'Get the reference',
    description: 'This document as a page. It needs no script and no other file.',
    answers: { 200: { description: 'The page.', type: 'text/html' } },
    async run() {
      written ??= await write(await describe())
      const { page, contentSecurityPolicy } = written
      const headers = { 'content-security-policy': contentSecurityPolicy }
      return { content: page, type: 'text/html; charset=utf-8', headers }
    },
  })
}

export function metricsEndpoints({ metrics }: Pick<GatewayOptions, 'metrics'>) {
  return metrics === null ? {} : { getMetrics: getMetrics(metrics) }
}

function getMetrics(metrics: MetricsSource) {
  return endpoint({
    method: 'get',
    path: '/metrics',
    tag: 'Operations',
    access: metrics.isOpen ? 'public' : ['operations.read'],
    errors: 'problem',
    summary: 'Get metrics',
    description: 'Prometheus text format. Values counted in the database are at most a few seconds old.',
    answers: { 200: { description: 'The metrics.', type: 'text/plain' } },
    run: async () => ({ content: await metrics.text(), type: metrics.contentType }),
  })
}
