/** An answer that the client's exported schema does not parse. `simulator/docs/clients.md` has the same list (The published client). */
export interface Exception {
  readonly method: string
  /** What the answer is about; null: every answer of the method. */
  readonly about: string | null
  /** Member that differs, with `*` for any index of a list; null: the whole answer. */
  readonly member: string | null
  readonly reason: string
}

const CONFIRMED = 'Document 1 answers a confirmation text, and the type expects no answer'
const NEVER_RETURNED = 'Document 1 never returns it, and the schema requires it'

export const EXCEPTIONS: readonly Exception[] = [
  {
    method: 'payDetailPayment',
    about: 'EXECUTADO',
    member: 'status',
    reason:
      '`service-decisions.md` has this status between `EM_PROCESSAMENTO` and `LIQUIDADO`, and the schema does not know it',
  },
  {
    method: 'accountDeleteWebhook',
    about: null,
    member: null,
    reason:
      'Document 1 answers 204 without a body; the client returns that as an empty text, and its schema expects `undefined`',
  },
  {
    method: 'updateAccountConfig',
    about: null,
    member: null,
    reason: CONFIRMED,
  },
  { method: 'pixDeleteEvp', about: null, member: null, reason: CONFIRMED },
  { method: 'ofConfigUpdate', about: null, member: 'processPayment', reason: NEVER_RETURNED },
  { method: 'ofConfigDetail', about: null, member: 'processPayment', reason: NEVER_RETURNED },
  {
    method: 'updateChargeLink',
    about: 'payment method chosen',
    member: 'data.status',
    reason: '`waiting` and `unpaid` are statuses of a charge (Document 2), and the schema knows only those of a link',
  },
  {
    method: 'getNotification',
    about: 'of a subscription',
    member: 'data.*.identifiers',
    reason: '`service-decisions.md` has both ids for a charge of a subscription, and the schema allows one',
  },
  {
    method: 'getNotification',
    about: 'of a carnet',
    member: 'data.*.identifiers',
    reason: 'a parcel of a carnet has both ids as well, and the schema allows one',
  },
]
