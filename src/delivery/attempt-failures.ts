import { AssertionError } from 'node:assert'
import type { Destination } from '../domain/destination.ts'
import { loopText } from '../domain/forwarding/forwarding-loop.ts'
import { forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import { shownUrl } from '../domain/masking/shown-url.ts'
import { printable } from '../platform/control-characters.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { errors } from '../platform/http-pool.ts'
import { cleanerFor } from './destination-secrets.ts'
import { type Answer, MayNotBegin, TimeLimitReached } from './exchange.ts'
import { ConnectFailure, codeOf } from './guarded-connect.ts'
import { withAlertStep, withHandshakeStep } from './handshake-step.ts'

/** No answer came, and the destination seems to restart. */
export function isBrokenConnection(error: unknown): boolean {
  if (error instanceof ConnectFailure && error.stage !== 'connection') return false
  return BROKEN.has(codeOf(error) ?? '')
}

const BROKEN: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The connections were closed during the request: the destination changed, or the sender was closed. Or the request may not begin any more. */
export function isGivenUpHere(error: unknown): boolean {
  if (error instanceof MayNotBegin) return true
  const code = codeOf(error)
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED'
}

/**
 * Why this answer is a failure; null for a 2xx.
 * @param instance of this gateway, as in `cdn-loop`
 */
export function statusWords(answer: Answer, destination: Destination, instance: string): string | null {
  const { status, location, body } = answer
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400 && location !== undefined)
    return redirectText(status, targetOf(location, destination))
  if (status !== LOOP_DETECTED) return forwardingText('answered', { status })
  if (Buffer.from(body).includes(loopText(instance))) return forwardingText('loop_here', { status })
  return forwardingText('loop_elsewhere', { status })
}

function redirectText(status: number, address: string | null): string {
  return address === null
    ? forwardingText('redirect_unreadable', { status })
    : forwardingText('redirect', { status, address })
}

/** The address without a password and without the values of its query, which may repeat the destination's; null: it is none. A relative one begins at the destination's URL (RFC 9110 section 10.2.2). */
function targetOf(location: string, destination: Destination): string | null {
  const target = URL.parse(location.slice(0, 4096), destination.url)
  if (target === null) return null
  target.username = target.password = ''
  return cleanerFor(destination)(shownUrl(target.href)).slice(0, ADDRESS_LIMIT)
}

/** RFC 5842 section 7.2. */
const LOOP_DETECTED = 508

const TEXT_LIMIT = 500
const ADDRESS_LIMIT = 200

/** The text for operators, without secrets, and limited because the destination chooses part of it. */
export function shownWords(text: string, destination: Destination): string {
  return printable(cleanerFor(destination)(text)).slice(0, TEXT_LIMIT)
}

export function failureWords(error: unknown, destination: Destination): string {
  if (error instanceof TimeLimitReached) return forwardingText('no_answer', { seconds: destination.timeoutMs / 1000 })
  if (error instanceof ConnectFailure) return withHandshakeStep(error, destination)
  if (error instanceof PortariaError) return error.message
  const code = codeOf(error) ?? ''
  // undici's texts for an unexpected 100 Continue and an unexpected change of protocol.
  if (/^bad (response|upgrade)$/.test(messageOf(error))) return forwardingText('unexpected_answer')
  if (BROKEN.has(code)) return forwardingText('connection_broke')
  if (error instanceof errors.HTTPParserError) return forwardingText('no_http_detail', { detail: error.message })
  if (code.startsWith('ERR_SSL_')) return withAlertStep(error)
  if (error instanceof AssertionError || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return forwardingText('no_http')
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return forwardingText('headers_too_long')
  if (code === 'UND_ERR_INVALID_ARG') {
    return forwardingText('request_impossible', { detail: messageOf(error), name: destination.name })
  }
  return forwardingText('attempt_failed', { detail: messageOf(error) })
}
