import { AssertionError } from 'node:assert'
import type { Realm } from '../domain/realm.ts'
import { asksForCertificate, type ServiceInterface } from '../domain/service/service-interfaces.ts'
import { printable } from '../platform/control-characters.ts'
import { messageOf, PortariaError, systemWords } from '../platform/errors.ts'
import { errors } from '../platform/http-pool.ts'
import type { CleanText } from '../platform/secret-cleaner.ts'
import { alertOf, alertWords, CERTIFICATE_ALERTS, describeAlert } from '../platform/tls-alerts.ts'
import { AnswerCut, AnswerTooLong } from './exchange.ts'
import { interfaceText, ServiceFailure, type ServiceFailureCode } from './failure.ts'

interface Place {
  readonly environment: Realm
  readonly on: ServiceInterface
  readonly clean: CleanText
}

/** The connection ended before a byte of an answer, as the service ends that of a client certificate that it does not accept. */
export class ConnectionCut extends ServiceFailure {}

/** The failure in words of an exchange that threw. Errors that are failures already stay. */
export function transportFailure(error: unknown, place: Place): ServiceFailure {
  if (error instanceof ServiceFailure) return error
  const { environment, on } = place
  const what = interfaceText(on, environment)
  const fail = (code: ServiceFailureCode, text: string, isFinal = false) =>
    new ServiceFailure(code, `${what}: ${printable(place.clean(text)).slice(0, 500)}`, {
      environment,
      on,
      isFinal,
      cause: error,
    })
  if (error instanceof AnswerTooLong) return fail('garbage', `the answer is too long (${error.message})`)
  if (error instanceof AnswerCut)
    return fail('unreachable', 'the connection broke in the middle of an answer; the call is repeated')
  if (error instanceof PortariaError) return fail('unreachable', error.message, error.code === 'address_forbidden')
  const alert = alertOf(error)
  if (alert !== null && CERTIFICATE_ALERTS.includes(alert) && asksForCertificate(place.on))
    return fail('certificate_refused', certificateText(describeAlert(alert)), true)
  if (alert === null && isCut(error))
    return new ConnectionCut('unreachable', `${what}: ${CUT_TEXT}`, { environment, on, cause: error })
  if (stageOf(error) === 'handshake' || alert !== null || codeOf(error).startsWith('ERR_SSL_'))
    return fail('handshake', handshakeText(error), isUntrusted(error))
  if (stageOf(error) !== null) return fail('unreachable', `${systemWords(error)}; ${ADDRESS_STEP}`)
  if (isNoHttp(error)) return fail('garbage', `the answer is not HTTP/1.1; ${ADDRESS_STEP}`)
  return fail('unreachable', `the request failed (${systemWords(error)}); ${ADDRESS_STEP}`)
}

const ADDRESS_STEP = 'check the base address in service.baseAddresses, the network and the name in DNS'
const HANDSHAKE_STEP =
  'check that service.authorities has the root of the service’s server certificate, and that the base address names its host'
const CUT_TEXT = 'the connection was closed before an answer came; check the network'

/** Why the service turns the account's certificate away, with the next step. */
export function certificateText(reason: string): string {
  return `the service does not accept the client certificate (${reason}); check that service.certificate is the account's own of this environment, valid and not revoked, and download a new one from the account if it is not`
}

/** With what to do. */
function handshakeText(error: unknown): string {
  const alert = alertWords(error)
  if (alert !== null) return `TLS handshake failed: ${alert}; ${ADDRESS_STEP}`
  const text = messageOf(error)
  return `${text.startsWith('TLS handshake failed') ? text : `TLS handshake failed: ${text}`}; ${HANDSHAKE_STEP}`
}

/** The other handshake failures (a timeout, a reset) may pass by themselves. */
function isUntrusted(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (/CERT|SIGNATURE|UNABLE_TO/.test(codeOf(one))) return true
  }
  return false
}

/** Of the guarded connector's ConnectFailure, which this room does not know by its class. */
function stageOf(error: unknown): string | null {
  return error instanceof Error && 'stage' in error && typeof error.stage === 'string' ? error.stage : null
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** During the handshake, too: with TLS 1.2 the server sees the client certificate there. */
function isCut(error: unknown): boolean {
  if (stageOf(error) === 'connection') return false
  const cause = stageOf(error) === 'handshake' && error instanceof Error ? error.cause : error
  return (
    ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(cause)) || /connection was closed/.test(messageOf(cause))
  )
}

function isNoHttp(error: unknown): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof AssertionError ||
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_HEADERS_OVERFLOW'].includes(codeOf(error)) ||
    /^bad (response|upgrade)$/.test(messageOf(error))
  )
}
