import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { loadClientCertificate } from '../../certificates/live/client-certificate.ts'
import { type Config, type ConfiguredDestination, kindNamesOf } from '../../config/config.ts'
import {
  ConnectFailure,
  type ConnectorTls,
  createGuardedConnector,
  handshakeWords,
} from '../../delivery/guarded-connect.ts'
import { withHandshakeStep } from '../../delivery/handshake-step.ts'
import { createNameResolver, type Resolve } from '../../delivery/name-resolver.ts'
import { type AddressRules, compileAddressRules } from '../../domain/address-rules.ts'
import type { Destination } from '../../domain/destination.ts'
import { severityOfFailing } from '../../domain/overview/destination-judgement.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { request } from '../../platform/http.ts'
import { COMMAND } from '../../platform/installation.ts'
import { alertWords } from '../../platform/tls-alerts.ts'
import { hostOf } from '../../platform/url-host.ts'
import { VERSION } from '../../platform/version.ts'
import { readIfPossible, withReader } from '../reader.ts'
import { type CheckContext, clocksOf, type Seen } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn } from './finding.ts'
import { institutionFindings } from './forwarded-institutions.ts'
import { hasPollersIn } from './pollers.ts'

const report = reportOn('destinations')
const { good, note, warning, problem } = report

const AT_ONCE = 8
const CONNECT_LIMIT_MS = 10_000
const ANSWER_LIMIT_MS = 3000

type Checked = Pick<
  ConfiguredDestination,
  'name' | 'url' | 'kinds' | 'environments' | 'institutions' | 'timeoutMs' | 'authorities'
> &
  Pick<Destination, 'id' | 'origin' | 'circuitOpenedAt' | 'pauseReason'> & { readonly oldestSince: number | null }

/** Whether each destination accepts connections. Nothing is delivered: the request is HEAD /. */
export async function checkDestinations(context: CheckContext): Promise<Seen> {
  const { config, now } = context
  const files = config.forwarding.clientCertificate
  const client = files === null ? null : loadClientCertificate(files, now)
  const whyNotOverTls = client?.problem(now) ?? null
  const rules = compileAddressRules(config.forwarding.allowedNetworks)
  const resolve = createNameResolver()
  const waiting = await destinationsOf(config)
  if (waiting.length === 0) return { findings: await withoutDestinations(config), clocks: [] }
  const ofInstitutions = await institutionFindings(config, waiting)
  const outcomes: Seen[] = Array.from({ length: waiting.length })
  const entries = waiting.entries()
  const worker = async () => {
    for (const [index, destination] of entries) {
      const { name, url, authorities } = destination
      const isTls = url.startsWith('https:')
      if (isTls && whyNotOverTls !== null) {
        const finding = problem('destination.client_certificate', name, whyNotOverTls, 'see under certificates')
        outcomes[index] = withoutClock(finding)
      } else {
        const own = isTls && client !== null ? client.tls : {}
        const tls = { ...(authorities !== null && { ca: authorities }), ...own }
        outcomes[index] = await checkDestination(destination, { context, rules, resolve, tls })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return {
    findings: [...ofInstitutions, ...outcomes.flatMap(({ findings }) => findings)],
    clocks: outcomes.flatMap(({ clocks }) => clocks),
  }
}

/** The destination gave no date. */
function withoutClock(...findings: Finding[]): Seen {
  return { findings, clocks: [] }
}

/** Events that no destination gets may be polled: by consumers, and by clients that keep their position themselves. */
async function withoutDestinations(config: Config): Promise<Finding[]> {
  const use = await useWithout(config)
  if (use === null) return []
  const found = 'there are none: events are stored and not forwarded'
  if (use.hasPollers) return [good('all', `${found}, but consumers or clients with events.read may poll them`)]
  const words = `${found}, and there is no consumer and no client that could poll`
  const level = use.hasFacts ? warning : note
  return [level('forwarding.none', 'all', words, ADD_DESTINATION)]
}

const ADD_DESTINATION = [
  `${COMMAND} destinations create https://app.example/callbacks --name app`,
  `or, for an app that polls: ${COMMAND} clients create --name app --environment any --scopes events.read`,
].join('; ')

/** Whether anything may poll, and whether there is anything to read. null: the database cannot be read, and the storage findings say why. */
async function useWithout(config: Config): Promise<{ hasPollers: boolean; hasFacts: boolean } | null> {
  const kinds = kindNamesOf(config)
  try {
    return await withReader(config, async (reader) => {
      return {
        hasPollers: await hasPollersIn(reader),
        hasFacts: (await reader.listEvents({ kinds }, 1)).events.length > 0,
      }
    })
  } catch (error) {
    return error instanceof PortariaError && error.code === 'store_missing'
      ? { hasPollers: false, hasFacts: false }
      : null
  }
}

/** Destinations of the file, which the gateway may not have loaded yet, and those that are only in the database. */
async function destinationsOf(config: Config): Promise<Checked[]> {
  const stored = await storedDestinations(config)
  const configured = config.destinations.map((settings) => {
    const known = stored.find(({ name, origin }) => name === settings.name && origin === 'configuration')
    return { ...UNKNOWN, ...known, ...settings, pauseReason: pauseOf(known) }
  })
  const others = stored.filter(({ origin }) => origin !== 'configuration')
  return [...configured, ...others.map((destination) => ({ ...destination, pauseReason: pauseOf(destination) }))]
}

/** A destination of the file that the gateway has not loaded yet. */
const UNKNOWN = { id: 0, origin: 'configuration', circuitOpenedAt: null, oldestSince: null } as const

type StoredDestination = Destination & Pick<Checked, 'oldestSince'>

function storedDestinations(config: Config): Promise<StoredDestination[]> {
  return readIfPossible(config, [], async (reader) => {
    const { backlogs } = await reader.takeSnapshot()
    return (await reader.listDestinations()).map((destination) => {
      const { name, owner } = destination
      const backlog = backlogs.find((one) => one.destination === name && one.owner === owner)
      return { ...destination, oldestSince: backlog?.oldestSince ?? null }
    })
  })
}

function pauseOf(destination: Destination | undefined): string | null {
  return destination?.state === 'paused' ? (destination.pauseReason ?? 'paused') : null
}

interface DestinationCheck {
  readonly context: CheckContext
  readonly rules: AddressRules
  readonly resolve: Resolve
  readonly tls: ConnectorTls
}

async function checkDestination(
  destination: Checked,
  { context, rules, resolve, tls }: DestinationCheck,
): Promise<Seen> {
  const { name, url, pauseReason } = destination
  const resume = `${COMMAND} destinations resume ${name}, when it may get deliveries again`
  const paused = pauseReason === null ? [] : [warning('destination_paused', name, `paused: ${pauseReason}`, resume)]
  if (context.isOffline === true) return withoutClock(...paused)
  const timeoutMs = Math.min(CONNECT_LIMIT_MS, destination.timeoutMs)
  let connected: Connected
  try {
    connected = await connect(new URL(url), { rules, resolve, tls, timeoutMs })
  } catch (error) {
    if (!(error instanceof PortariaError || error instanceof ConnectFailure)) throw error
    const nextStep = 'correct its URL, or repair the destination: its deliveries wait and are retried'
    const { circuitOpenedAt, oldestSince } = destination
    const failing = { isPaused: pauseReason !== null, circuitOpenedAt, oldestSince }
    const finding = severityOfFailing(failing, context.now.getTime()) === 'problem' ? problem : warning
    const why = error instanceof ConnectFailure ? withHandshakeStep(error, destination) : error.message
    return withoutClock(...paused, finding('destination.unreachable', name, `${origin(url)}: ${why}`, nextStep))
  }
  const { socket, certificate } = connected
  // A socket that the answer has closed tells none.
  const protocol = socket instanceof TLSSocket ? ` over ${socket.getProtocol()}` : ''
  const renew = `have the operator of ${name} renew it: deliveries fail when it has expired`
  const shown = certificate === null ? [] : [certificate]
  const expiry = expiryFindings(shown, { report, what: `${name}: dates`, renew }, context)
  const answer = await askForHeaders(socket, new URL(url))
  if ('failure' in answer) {
    const found = `${origin(url)} accepts connections, but did not respond: ${answer.failure}`
    const nextStep = `see what listens there; to try a whole delivery: ${COMMAND} destinations test ${name}`
    return withoutClock(...paused, warning('destination.silent', name, found, nextStep), ...expiry)
  }
  const found = `${origin(url)} answers${protocol}`
  return { findings: [...paused, good(name, found), ...expiry], clocks: clocksOf(name, answer.date) }
}

/** Also keeps the server certificate, which Node drops after the handshake. */
function connect(url: URL, { timeoutMs, ...how }: Omit<DestinationCheck, 'context'> & { readonly timeoutMs: number }) {
  let certificate: X509Certificate | null = null
  const onCertificate = (shown: X509Certificate) => {
    certificate = shown
  }
  const connectGuarded = createGuardedConnector({ ...how, connectTimeoutMs: timeoutMs, onCertificate })
  const target = { hostname: hostOf(url), host: url.host, protocol: url.protocol, port: url.port }
  return new Promise<Connected>((resolve, reject) => {
    connectGuarded(target, (error, socket) => (socket === null ? reject(error) : resolve({ socket, certificate })))
  })
}

interface Connected {
  readonly socket: Socket
  /** null: plain http. */
  readonly certificate: X509Certificate | null
}

type HeadersAnswer = { readonly date: string | undefined } | { readonly failure: string }

/** In TLS 1.3, a server that refuses our client certificate says so only after the handshake. */
function askForHeaders(socket: Socket, url: URL): Promise<HeadersAnswer> {
  return new Promise((resolve) => {
    const settle = (answer: HeadersAnswer) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => settle({ failure: `none within ${ANSWER_LIMIT_MS / 1000} s` }), ANSWER_LIMIT_MS)
    const headers = { host: url.host, 'user-agent': `Portaria/${VERSION}`, connection: 'close' }
    const outgoing = request({ method: 'HEAD', path: '/', headers, createConnection: () => socket })
    outgoing.on('response', ({ headers: { date } }) => settle({ date }))
    outgoing.on('error', (error) =>
      settle({
        failure: alertWords(error) ?? (error.message.includes('SSL') ? handshakeWords(error) : messageOf(error)),
      }),
    )
    outgoing.end()
  })
}

function origin(url: string): string {
  return new URL(url).origin
}
