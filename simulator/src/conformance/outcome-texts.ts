import { outcomeInPortuguese } from '../webhooks/outcome-words.ts'
import type { CallOutcome } from '../webhooks/receiver-call.ts'
import { type Text, text } from './text.ts'

/** What happened at a request, as the end of a sentence that begins with its request. */
export function outcomeText(outcome: CallOutcome): Text {
  const portuguese = outcomeInPortuguese(outcome)
  switch (outcome.kind) {
    case 'answered':
      return redirectText(outcome) ?? { en: `HTTP ${outcome.status}`, pt: portuguese }
    case 'handshake_failed':
      return { en: handshakeInEnglish(outcome), pt: portuguese }
    case 'closed':
      return { en: 'the connection was closed without an answer', pt: portuguese }
    case 'timeout':
      return text('no answer in time')
    case 'unreachable':
      return { en: `no connection: ${outcome.reason}`, pt: `sem conexão: ${portuguese || outcome.reason}` }
    case 'name_unknown':
      return text('the name is unknown: {reason}', { reason: outcome.reason })
    case 'untrusted':
      return { en: `the certificate of the receiver is not trusted: ${outcome.reason}`, pt: portuguese }
    case 'forbidden_address':
    case 'not_http':
      return { en: `${OUTCOMES[outcome.kind]}: ${outcome.reason}`, pt: portuguese }
  }
}

const OUTCOMES = { forbidden_address: 'the address is not called', not_http: 'the answer is not HTTP' }

function redirectText({ status, headers }: CallOutcome & { kind: 'answered' }): Text | null {
  if (status < 300 || status > 399) return null
  const { location } = headers
  if (location === undefined) return text('HTTP {status}, a redirect', { status })
  return text('HTTP {status}, a redirect to {location}', { status, location: String(location) })
}

function handshakeInEnglish({ reason }: { readonly reason: string }): string {
  const alert = /SSL alert number (\d+)/.exec(reason)?.[1]
  if (alert !== undefined) return `refused with TLS alert ${alert}`
  return /wrong version number|packet length too long|http request/.test(reason)
    ? 'no TLS is spoken there'
    : 'the TLS handshake failed'
}
