import { outcomeInPortuguese } from '../webhooks/outcome-words.ts'
import type { CallOutcome } from '../webhooks/receiver-call.ts'
import { type Text, text } from './text.ts'

/** What happened at a request, as the end of a sentence that begins with its request. */
export function outcomeText(outcome: CallOutcome): Text {
  const portuguese = outcomeInPortuguese(outcome)
  switch (outcome.kind) {
    case 'answered':
      return redirectText(outcome) ?? text(`HTTP ${outcome.status}`, portuguese)
    case 'handshake_failed':
      return text(handshakeInEnglish(outcome), portuguese)
    case 'closed':
      return text('the connection was closed without an answer', portuguese)
    case 'timeout':
      return text('no answer in time', 'sem resposta a tempo')
    case 'unreachable':
      return text(`no connection: ${outcome.reason}`, `sem conexão: ${portuguese || outcome.reason}`)
    case 'name_unknown':
      return text(`the name is unknown: ${outcome.reason}`, `o nome é desconhecido: ${outcome.reason}`)
    case 'untrusted':
      return text(`the certificate of the receiver is not trusted: ${outcome.reason}`, portuguese)
    case 'forbidden_address':
    case 'not_http':
      return text(`${OUTCOMES[outcome.kind]}: ${outcome.reason}`, portuguese)
  }
}

const OUTCOMES = { forbidden_address: 'the address is not called', not_http: 'the answer is not HTTP' }

function redirectText({ status, headers }: CallOutcome & { kind: 'answered' }): Text | null {
  if (status < 300 || status > 399) return null
  const to = headers.location === undefined ? '' : ` ${headers.location}`
  return text(
    `HTTP ${status}, a redirect${to && ' to'}${to}`,
    `HTTP ${status}, um redirecionamento${to && ' para'}${to}`,
  )
}

function handshakeInEnglish({ reason }: { readonly reason: string }): string {
  const alert = /SSL alert number (\d+)/.exec(reason)?.[1]
  if (alert !== undefined) return `refused with TLS alert ${alert}`
  return /wrong version number|packet length too long|http request/.test(reason)
    ? 'no TLS is spoken there'
    : 'the TLS handshake failed'
}
