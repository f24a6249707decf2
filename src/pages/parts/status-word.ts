import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { breakable } from './breakable.ts'
import { type Html, html } from './html.ts'

/** Known statuses in words, as the service and the gateway write them: of payments, openings, open-banking payments, charges, instant payments. */
export const STATUSES: Readonly<Record<string, Said>> = {
  // Bill payments (service-decisions.md, payment states); some of them are statuses of a refund of an instant payment, too.
  CRIADO: inContext('payment', say`created`),
  AGENDADO: say`scheduled`,
  EM_PROCESSAMENTO: say`in process`,
  EXECUTADO: say`executed`,
  LIQUIDADO: say`settled`,
  NAO_REALIZADO: say`not made`,
  CANCELADO: inContext('payment', say`canceled`),
  DEVOLVIDO: say`returned`,
  // Account openings.
  conta_aberta: say`account opened`,
  conta_recusada_pelo_cliente_final: say`refused by the end client`,
  teste_webhook: say`test call`,
  // Open-banking payments and refunds.
  pendente: say`pending`,
  agendado: say`scheduled`,
  aceito: say`accepted`,
  rejeitado: say`rejected`,
  expirado: inContext('payment', say`expired`),
  cancelado: inContext('payment', say`canceled`),
  // Charges, subscriptions and carnets (Document 2, States and transitions).
  new: say`created`,
  link: say`payment link made`,
  waiting: say`waiting for payment`,
  identified: say`payment identified`,
  approved: say`card payment approved`,
  paid: say`paid`,
  unpaid: say`not paid`,
  settled: say`marked as paid by hand`,
  contested: say`contested by the payer`,
  refunded: say`refunded`,
  active: inContext('charge', say`active`),
  canceled: say`canceled`,
  expired: say`expired`,
  up_to_date: say`up to date`,
  finished: say`finished`,
  // Instant payments: charges, recurrences and their charges (API of the central bank).
  CRIADA: say`created`,
  ENVIADA: inContext('charge', say`sent`),
  RECEBIDA: say`received`,
  ATIVA: inContext('charge', say`active`),
  CONCLUIDA: say`completed`,
  ACEITA: inContext('recurrence', say`accepted`),
  APROVADA: say`approved`,
  REJEITADA: inContext('recurrence', say`rejected`),
  EXPIRADA: say`expired`,
  CANCELADA: say`canceled`,
  REMOVIDA_PELO_USUARIO_RECEBEDOR: say`removed by the payee`,
  REMOVIDA_PELO_PSP: say`removed by the payee's institution`,
  // Operator events of the gateway.
  silent: say`nothing comes`,
  refused: say`callbacks refused`,
  outage: say`callbacks were not accepted`,
  expiring: say`expires soon`,
  'loses-client-use': say`will no longer be valid as a client certificate`,
}

/** What a status says, in the reader's language; null: it is unknown, or the word would repeat it. */
export function statusWord(status: string, t: Speaker): string | null {
  const word = t.at(STATUSES, status)
  return word?.toLowerCase() === status.toLowerCase() ? null : word
}

/** The word, where one is known, with the status as the service writes it behind it. */
export function statusHtml(status: string, t: Speaker): Html {
  const word = statusWord(status, t)
  const code = breakable(printable(status))
  return word === null ? html`${code}` : html`${word} <small>${code}</small>`
}

/** The same where there is only room for text. */
export function statusText(status: string, t: Speaker): string {
  const word = statusWord(status, t)
  return word === null ? printable(status) : `${word} · ${printable(status)}`
}
