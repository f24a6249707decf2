import { dayOfServiceTime, daysOf } from '../domain/reconcile/service-day.ts'
import { type ChargeType, isStatusOf } from '../domain/reconcile/subjects.ts'
import type { PaymentSummary, ToldCharge, ToldOpening, ToldPayment, Unknown } from '../domain/reconcile/told.ts'
import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import { getChargeRecord } from './charge-resource.ts'
import type { ServiceAnswer, ServiceClient, ServiceRequest } from './client.ts'
import { ServiceFailure } from './failure.ts'

/**
 * Questions about the state of a subject. Each is at most one call besides that for an access token, and is not repeated here, because it counts in the
 * day's budget. Each throws ServiceFailure (`garbage` for an answer about another subject, or with a status that the service does not document), and the
 * reason of the signal when it aborts. `unknown`: the service does not know the id; one that it cannot have given is unknown without a call.
 */

const UNKNOWN: Unknown = { sort: 'unknown' }

const DIGITS = /^\d{1,64}$/
const PAYMENTS_SCOPE = 'svc.barcode.pay.read'

/** Document 1, endpoint 11. An unknown payment is 400 there (service-decisions.md, Errors). */
export function askPayment(client: ServiceClient, id: string, signal?: AbortSignal): Promise<ToldPayment | Unknown> {
  if (!DIGITS.test(id)) return Promise.resolve(UNKNOWN)
  return orUnknown([400, 404], async () => {
    const answer = await client.request('payment', once({ path: `/v1/${id}`, scope: PAYMENTS_SCOPE }, signal))
    const { idPagamento, status, valorPago, data } = membersOf(answer.json)
    if (textOfId(idPagamento) !== id) return fail(client, answer, `without the payment ${id}`)
    if (!isStatus('payment', status)) return fail(client, answer, `payment ${id} with an unknown status`)
    if (!isCount(valorPago)) return fail(client, answer, `payment ${id} without its amount in cents`)
    return { sort: 'told', status, cents: valorPago, day: dayOfServiceTime(membersOf(data).solicitacao) }
  })
}

const LONGEST_PERIOD_DAYS = 365

/**
 * Document 1, endpoint 12. Both days belong to the period.
 * @throws RangeError for days in the wrong order, or for more than 365 of them
 */
export async function askPaymentSummary(
  client: ServiceClient,
  firstDay: string,
  lastDay: string,
  signal?: AbortSignal,
): Promise<PaymentSummary> {
  const days = daysOf(firstDay, lastDay)
  if (!(days >= 1 && days <= LONGEST_PERIOD_DAYS)) throw new RangeError(`no period: ${firstDay} to ${lastDay}`)
  const query = { dataInicio: firstDay, dataFim: lastDay }
  const answer = await client.request('payment', once({ path: '/v1/resumo', query, scope: PAYMENTS_SCOPE }, signal))
  const { datas, solicitacoes, solicitacoesFalhas } = membersOf(answer.json)
  const { inicial, final } = membersOf(datas)
  if (inicial !== firstDay || final !== lastDay) return fail(client, answer, 'a summary of another period')
  const { total, processando, sucesso, falha, cancelada } = membersOf(solicitacoes)
  if (![total, processando, sucesso, falha, cancelada].every(isCount)) return fail(client, answer, 'no summary')
  const failed = Array.isArray(solicitacoesFalhas) ? solicitacoesFalhas.map(textOfId) : [null]
  if (!failed.every((id) => id !== null && DIGITS.test(id))) return fail(client, answer, 'a summary without ids')
  return {
    total: Number(total),
    failed: failed.filter((id) => id !== null),
  }
}

const PROCESSING = 'conta_em_processamento'
/** Words of the service that a failure of this question may repeat. */
const OPENING_NAMES = [PROCESSING, 'insufficient_scope']

/** Document 1, endpoint 14, whose answer is the secret of an account: nothing of it is kept but its status, and of a 412 whether it is `PROCESSING`. */
export function askOpening(client: ServiceClient, id: string, signal?: AbortSignal): Promise<ToldOpening | Unknown> {
  if (!/^[\w-]{1,128}$/.test(id)) return Promise.resolve(UNKNOWN)
  return orUnknown([404], async () => {
    const asked: Asked = {
      path: `/v1/conta-simplificada/${id}/credenciais`,
      scope: 'svc.registration.read',
      expects: 'nothing',
      onlyNames: OPENING_NAMES,
    }
    try {
      const { status } = await client.request('registration', once(asked, signal))
      if (status !== 200)
        throw garbage({ ...client, on: 'registration' }, status, `answered opening ${id} with ${status}`)
      return { sort: 'opened' }
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.code === 'refused' && error.status === 412)) throw error
      return { sort: error.refusal?.name === PROCESSING ? 'processing' : 'undecided' }
    }
  })
}

/** `GET /v1/charge/:id`, Document 2 endpoint 10 of a subscription, `GET /v1/carnet/:id` (service-decisions.md, Document 2, the rest). */
export function askChargeRecord(
  client: ServiceClient,
  type: ChargeType,
  id: string,
  signal?: AbortSignal,
): Promise<ToldCharge | Unknown> {
  if (!DIGITS.test(id)) return Promise.resolve(UNKNOWN)
  return orUnknown([404], async () => {
    const record = await getChargeRecord(client, type, id, { isRepeatable: false, ...(signal && { signal }) })
    const { status, customId } = record
    if (!isStatus(type, status))
      throw garbage({ ...client, on: 'charges' }, undefined, `answered ${type} ${id} with an unknown status`)
    return { sort: 'told', status, customId }
  })
}

type Asked = Omit<ServiceRequest, 'method' | 'isRepeatable' | 'signal'>

function once(asked: Asked, signal: AbortSignal | undefined): ServiceRequest {
  return { method: 'GET', isRepeatable: false, ...asked, ...(signal && { signal }) }
}

/** @param statuses with which the service says that it does not know the id */
async function orUnknown<T>(statuses: readonly number[], ask: () => Promise<T>): Promise<T | Unknown> {
  try {
    return await ask()
  } catch (error) {
    const isRefused = error instanceof ServiceFailure && error.code === 'refused'
    if (isRefused && error.status !== null && statuses.includes(error.status)) return UNKNOWN
    throw error
  }
}

function fail(client: ServiceClient, { status }: ServiceAnswer, text: string): never {
  throw garbage({ ...client, on: 'payment' }, status, `answered ${text}`)
}

function isStatus(type: Parameters<typeof isStatusOf>[0], value: unknown): value is string {
  return typeof value === 'string' && isStatusOf(type, value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Ids are digits, as text or as a number. */
function textOfId(value: unknown): string | null {
  return typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : null
}
