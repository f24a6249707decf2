import type { CallOutcome } from '../webhooks/receiver-call.ts'
import { joined, type Text, text } from './text.ts'

/** What happened at a request, as the end of a sentence that begins with its request. */
export function outcomeText(outcome: CallOutcome): Text {
  switch (outcome.kind) {
    case 'answered':
      return redirectText(outcome) ?? text(`HTTP ${outcome.status}`, `HTTP ${outcome.status}`)
    case 'handshake_failed':
      return handshakeText(outcome)
    case 'closed':
      return text('the connection was closed without an answer', 'a conexão foi encerrada sem resposta')
    case 'timeout':
      return text('no answer in time', 'sem resposta a tempo')
    case 'unreachable':
    case 'name_unknown':
    case 'forbidden_address':
    case 'untrusted':
    case 'not_http':
      return joined([OUTCOMES[outcome.kind], text(outcome.reason, outcome.reason)], ': ')
  }
}

const OUTCOMES = {
  unreachable: text('no connection', 'sem conexão'),
  name_unknown: text('the name is unknown', 'o nome é desconhecido'),
  forbidden_address: text('the address is not called', 'o endereço não é chamado'),
  untrusted: text('the certificate of the receiver is not trusted', 'o certificado do receptor não é confiável'),
  not_http: text('the answer is not HTTP', 'a resposta não é HTTP'),
}

function redirectText({ status, headers }: CallOutcome & { kind: 'answered' }): Text | null {
  if (status < 300 || status > 399) return null
  const to = headers.location === undefined ? '' : ` ${headers.location}`
  return text(
    `HTTP ${status}, a redirect${to && ' to'}${to}`,
    `HTTP ${status}, um redirecionamento${to && ' para'}${to}`,
  )
}

function handshakeText({ reason }: { readonly reason: string }): Text {
  const alert = /SSL alert number (\d+)/.exec(reason)?.[1]
  if (alert !== undefined) return text(`refused with TLS alert ${alert}`, `recusado com o alerta TLS ${alert}`)
  if (/wrong version number|packet length too long|http request/.test(reason))
    return text('no TLS is spoken there', 'não há TLS nesta porta')
  return text('the TLS handshake failed', 'o handshake TLS falhou')
}
