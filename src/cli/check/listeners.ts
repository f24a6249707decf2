import type { X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { type RequestOptions, request as requestTls } from 'node:https'
import { createServer, isIPv6, type Server } from 'node:net'
import { nameOf, readCertificates } from '../../certificates/files/pem.ts'
import { type RemoteCertificate, readRemoteCertificate } from '../../certificates/live/remote-certificate.ts'
import type { Config, TlsFiles } from '../../config/config.ts'
import { controlSocketOf } from '../../config/control-socket.ts'
import { compileNetworks } from '../../domain/address-rules.ts'
import type { DescriptorPlan } from '../../gateway/descriptors.ts'
import { readBounded } from '../../platform/bounded-body.ts'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { request as requestPlain } from '../../platform/http.ts'
import { askGateway } from '../control-client.ts'
import { reserveOwnPort } from '../own-port.ts'
import { checkDescriptors } from './descriptors.ts'
import { type Finding, FOLLOW, reportOn } from './finding.ts'
import { gatewayFinding, type Started } from './program-age.ts'

const { good, warning, problem } = reportOn('listeners')

interface Listener {
  readonly name: 'callbacks' | 'chargeNotifications' | 'api'
  readonly host: string
  readonly port: number
  readonly tls: TlsFiles | null
  /** Callers without a certificate are refused in the handshake, and this command has none. */
  readonly needsCertificate: boolean
  /** Connections of other addresses are closed at once; left out, or empty: every address may connect. */
  readonly allowedAddresses?: readonly string[]
  /** The port to connect from; left out, or undefined: any. */
  readonly localPort?: number | undefined
}

const TIMEOUT_MS = 5000

/**
 * The listeners of a running gateway must answer; without one, their ports must be free.
 * @param mayRestart whether nothing is known that would keep the gateway from starting again
 */
export async function checkListeners(config: Config, mayRestart: boolean): Promise<Finding[]> {
  const findings = await listenerFindings(config)
  return mayRestart ? findings : findings.map(withoutRestart)
}

/** The gateway in use goes on with what it has loaded; a new one would not start. */
function withoutRestart(finding: Finding): Finding {
  if (finding.nextStep === null || !/\brestart\b/.test(finding.nextStep)) return finding
  const nextStep = 'correct the files first that other findings name: until then the gateway would not start again'
  return { ...finding, nextStep }
}

async function listenerFindings(config: Config): Promise<Finding[]> {
  const listeners = listenersOf(config)
  const gateway = await askGateway<RunningGateway>(config, 'GET', '/v1/gateway').catch((error: unknown) => {
    if (error instanceof PortariaError) return error
    throw error
  })
  if (gateway === null)
    return [good('gateway', 'does not run'), ...(await bindingFindings(listeners)), checkDescriptors(config, null)]
  if (gateway instanceof PortariaError) return [problem('gateway.unreachable', 'gateway', gateway.message, FOLLOW)]
  const answers = await Promise.all(
    listeners.map(async (listener) => {
      const localPort = await reserveOwnPort(config)
      const place = { ...listener, ...gateway.passed[PASSED_AS[listener.name]], localPort }
      return answerFindings(place, controlSocketOf(config))
    }),
  )
  return [gatewayFinding(config, gateway), ...answers.flat(), checkDescriptors(config, gateway.descriptors ?? null)]
}

interface RunningGateway extends Started {
  /** Addresses of passed sockets, by the names of their units. */
  readonly passed: Readonly<Record<string, Pick<Listener, 'host' | 'port'>>>
  readonly descriptors: DescriptorPlan | null
}

const PASSED_AS = { callbacks: 'callbacks', chargeNotifications: 'charges', api: 'api' } as const

function listenersOf({ callbacks, chargeNotifications: charges, api }: Config): Listener[] {
  return [
    { name: 'callbacks', host: callbacks.host, port: callbacks.port, tls: callbacks, needsCertificate: true },
    ...(charges === null ? [] : [{ name: 'chargeNotifications' as const, ...charges, needsCertificate: false }]),
    { name: 'api', ...api, needsCertificate: api.clientCertificates === 'required' },
  ]
}

/** All at once, so that two listeners with the same port are found. */
async function bindingFindings(listeners: readonly Listener[]): Promise<Finding[]> {
  const opened: Server[] = []
  const findings: Finding[] = []
  for (const listener of listeners) findings.push(await bindingFinding(listener, opened))
  await Promise.all(opened.map((server) => new Promise((closed) => server.close(closed))))
  return findings
}

async function bindingFinding({ name, host, port }: Listener, opened: Server[]): Promise<Finding> {
  const server = createServer((socket) => socket.destroy())
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port, exclusive: true }, resolve)
  try {
    await promise
    opened.push(server)
    return good(name, `${shown(host, port)} is free`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const [why, step] = BINDING_WORDS[code] ?? [messageOf(error), 'choose another host or port']
    const nextStep = `${step} (${name}.host, ${name}.port)`
    return problem('listener.unavailable', name, `${shown(host, port)} ${why}`, nextStep)
  }
}

const BINDING_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['is taken by another program', 'stop that one (ss -ltnp shows it), or choose another port'],
  EADDRNOTAVAIL: ['is not an address of this machine', 'use one that "ip address" shows, or 0.0.0.0'],
  EACCES: ['may not be opened by this user', 'choose a port from 1024, and redirect the public one to it'],
  ENOTFOUND: ['is no known name', 'write an address'],
}

async function answerFindings(listener: Listener, controlSocket: string): Promise<Finding[]> {
  const { name, port } = listener
  if (port === 0)
    return [warning('listener.any_port', name, 'it takes any free port', `write a fixed number (${name}.port)`)]
  try {
    return await (name === 'api' ? apiFindings(listener, controlSocket) : tlsFindings(listener))
  } catch (error) {
    if (isClosed(error) && (await excludesUs(listener))) return [good(name, closedText(listener))]
    const found = `the gateway runs, but ${shown(listener.host, port)} does not answer: ${systemWords(error)}`
    const nextStep = 'restart the gateway if its configuration was changed; see its log'
    return [problem('listener.silent', name, found, nextStep)]
  }
}

/** A socket that is closed before it was read. */
function isClosed(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ECONNRESET') || isClosed(error.cause)
}

/** A connection to an address of this machine comes from the same address. */
async function excludesUs({ host, allowedAddresses = [] }: Listener): Promise<boolean> {
  if (allowedAddresses.length === 0) return false
  const { address } = await lookup(reachable(host))
  return !compileNetworks(allowedAddresses)(address)
}

function closedText({ name, host, port }: Listener): string {
  return `${shown(host, port)} closes connections of this machine, whose address is not in ${name}.allowedAddresses: nothing more is known of it`
}

async function tlsFindings(listener: Listener): Promise<Finding[]> {
  const { name, port, localPort, tls, needsCertificate } = listener
  const host = reachable(listener.host)
  if (tls === null) {
    await get(httpOf(listener), '/')
    return [good(name, `${shown(listener.host, port)} answers, by plain http`)]
  }
  const seen = await readRemoteCertificate({ host, port, localPort }, { timeoutMs: TIMEOUT_MS })
  const [served] = seen.certificates
  const configured = readConfigured(listener, tls)
  if (configured === 'unusable') {
    // The findings about certificates say why, and what to do.
    const found = `${shown(listener.host, port)} answers with the certificate in use; ${tls.certificate} cannot be used now`
    return isOpen(listener, seen) ? [openFinding(listener)] : [good(name, found)]
  }
  if (served?.fingerprint256 !== configured?.fingerprint256) {
    const shownName = served === undefined ? 'none' : nameOf(served)
    const found = `${shown(listener.host, port)} sends another certificate than ${tls.certificate}: ${shownName}`
    const nextStep = 'reload the gateway (SIGHUP) or restart it, or find out what else listens there'
    return [problem('listener.other_certificate', name, found, nextStep)]
  }
  if (isOpen(listener, seen)) return [openFinding(listener)]
  const refusal = needsCertificate ? ', and refuses a caller without one' : ''
  return [good(name, `${shown(listener.host, port)} shows the configured certificate${refusal}`)]
}

function readConfigured({ name }: Listener, { certificate }: TlsFiles): X509Certificate | undefined | 'unusable' {
  try {
    return readCertificates(certificate, `${name}.certificate`)[0]
  } catch (error) {
    if (error instanceof PortariaError) return 'unusable'
    throw error
  }
}

function isOpen({ needsCertificate }: Listener, { clientCertificate }: RemoteCertificate): boolean {
  return needsCertificate && clientCertificate !== 'required'
}

function openFinding({ name, host, port }: Listener): Finding {
  const found = `${shown(host, port)} accepts a caller that has no certificate`
  const nextStep = 'restart the gateway; if that does not help, find out what else listens there'
  return problem('listener.open', name, found, nextStep)
}

async function apiFindings(listener: Listener, controlSocket: string): Promise<Finding[]> {
  const at = shown(listener.host, listener.port)
  if (!listener.needsCertificate) return [readinessFinding(await get(httpOf(listener), '/readyz'), at)]
  const findings = await tlsFindings(listener)
  if (findings.some(({ level }) => level !== 'good')) return findings
  const answer = await get({ request: requestPlain, socketPath: controlSocket }, '/readyz')
  return [...findings, readinessFinding(answer, controlSocket)]
}

function readinessFinding({ status, body }: HttpAnswer, at: string): Finding {
  const reasons = reasonsIn(body)
  if (status === 200 && reasons !== null) return good('api', `${at} answers: ready`)
  const unready = `${at} answers: not ready, ${reasons?.join('; ')}`
  if (status === 503 && reasons !== null) return problem('not_ready', 'api', unready, 'see the log of the gateway')
  const found = `${at} answers HTTP ${status}, which is not this gateway`
  return problem('api.foreign', 'api', found, 'find out what else listens there (ss -ltnp), and restart the gateway')
}

function reasonsIn(body: string): string[] | null {
  try {
    const { reasons } = JSON.parse(body) as { reasons?: unknown }
    return Array.isArray(reasons) ? reasons.map(String) : null
  } catch {
    // Not our API.
    return null
  }
}

interface HttpAnswer {
  readonly status: number
  readonly body: string
}

interface HttpPlace extends RequestOptions {
  readonly request: typeof requestPlain
}

/** Trusts any certificate: it is our own listener on this machine, and its certificate is compared separately. */
function httpOf({ host, port, localPort, tls }: Listener): HttpPlace {
  const place = { host: reachable(host), port, localPort }
  return tls === null
    ? { request: requestPlain, ...place }
    : { request: requestTls, ...place, rejectUnauthorized: false }
}

function get({ request: requestFrom, ...place }: HttpPlace, path: string): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = requestFrom({ ...place, path, agent: false, timeout: TIMEOUT_MS })
    request.on('response', (response) => {
      readBounded(response).then((body) => resolve({ status: response.statusCode ?? 0, body: body.toString() }), reject)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    request.on('error', reject)
    request.end()
  })
}

/** An address to connect to: the wildcard address is none. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

function shown(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}
