import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { INSTITUTIONS } from '../institutions/fixtures.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../money/payment.ts'
import { OPEN_BANKING_STATUSES } from '../open-banking/callback-values.ts'
import { localDate, localDateTime } from '../rules/local-time.ts'

/** Ids of what callbacks are about: the steps of a script share them, so that they are about the same payment or charge. */
export interface Ids {
  readonly payment: string
  readonly opening: string
  readonly openBankingPayment: string
  readonly charge: number
  readonly subscription: number
  readonly carnet: number
  readonly token: string
  readonly endToEndId: string
  readonly txid: string
  readonly recurrence: string
}

/** One kind of callback, as `trigger` names it. */
export interface TriggerKind {
  /** Of the fact that it is about, in order. The first one is the default. */
  readonly states: readonly string[]
  /** The preset whose institution sends it. */
  readonly preset: 'service' | 'instant-payment'
  readonly fixtureOf: (state: string, ids: Ids, now: Date) => TriggerFixture
}

export interface TriggerFixture {
  readonly body: unknown
  /** What the institution appends to the registered URL. */
  readonly suffix: string
}

/** Of the service's local times. */
const TIME_ZONE = 'America/Sao_Paulo'
const BARCODE = '00193373700000001000500940144816060680935031'
const TYPEABLE_LINE = '00190500954014481606906809350314337370000000100'

const number = () => randomInt(100_000_000, 2_000_000_000)
const letters = (count: number) => randomBytes(count).toString('hex').slice(0, count)

export function newIds(): Ids {
  return {
    payment: String(randomInt(100_000_000_000_000, 280_000_000_000_000)),
    opening: randomUUID(),
    openBankingPayment: `urn:participant:${randomUUID()}`,
    charge: number(),
    subscription: number(),
    carnet: number(),
    token: randomUUID(),
    endToEndId: `E00000000202603021500${letters(11)}`,
    txid: letters(32),
    recurrence: `RR0000000020260302${letters(11)}`,
  }
}

/** Document 1, "Callbacks" and "States"; Document 2, "Charge status", "Subscription status" and "Notification attributes"; service-decisions.md. */
export const TRIGGER_KINDS: Readonly<Record<string, TriggerKind>> = {
  payment: {
    states: ['LIQUIDADO', ...PAYMENT_STATUSES.filter((status) => status !== 'LIQUIDADO')],
    preset: 'service',
    fixtureOf: (state, ids, now) => ({ body: paymentBody(state as PaymentStatus, ids, now), suffix: '' }),
  },
  registration: {
    states: ['conta_aberta', 'conta_recusada_pelo_cliente_final', 'teste_webhook'],
    preset: 'service',
    fixtureOf: (state, { opening }) => ({
      body:
        state === 'teste_webhook'
          ? { evento: state }
          : { contaSimplificada: { identificador: opening }, evento: state },
      suffix: '',
    }),
  },
  charge: notificationKind(['paid', 'new', 'waiting', 'unpaid', 'link', 'canceled', 'expired'], ({ charge }) => ({
    charge_id: charge,
  })),
  subscription: notificationKind(['active', 'new', 'canceled', 'expired'], ({ subscription }) => ({
    subscription_id: subscription,
  })),
  carnet: notificationKind(['up_to_date', 'unpaid', 'finished'], ({ carnet }) => ({ carnet_id: carnet })),
  'open-banking': {
    states: ['aceito', ...OPEN_BANKING_STATUSES.filter((status) => status !== 'aceito'), 'devolucao'],
    preset: 'service',
    fixtureOf: (state, ids, now) => ({ body: openBankingBody(state, ids, now), suffix: '' }),
  },
  pix: {
    states: Object.keys(INSTITUTIONS['instant-payment']?.fixtures ?? {}).sort(
      (a, b) => Number(b === 'payment') - Number(a === 'payment'),
    ),
    preset: 'instant-payment',
    fixtureOf: instantPayment,
  },
}

const PREVIOUS: Readonly<Record<PaymentStatus, PaymentStatus>> = {
  CRIADO: 'CRIADO',
  AGENDADO: 'CRIADO',
  EM_PROCESSAMENTO: 'CRIADO',
  EXECUTADO: 'EM_PROCESSAMENTO',
  LIQUIDADO: 'EXECUTADO',
  NAO_REALIZADO: 'EM_PROCESSAMENTO',
  CANCELADO: 'AGENDADO',
}
const REASONS: Partial<Record<PaymentStatus, string>> = {
  NAO_REALIZADO: 'Saldo insuficiente.',
  CANCELADO: 'Cancelado pelo cliente.',
}

function paymentBody(state: PaymentStatus, ids: Ids, now: Date) {
  const isExecuted = state === 'EXECUTADO' || state === 'LIQUIDADO'
  const reason = REASONS[state]
  return {
    identificador: ids.payment,
    status: { anterior: PREVIOUS[state], atual: state },
    valor: '150.10',
    horario: {
      solicitacao: new Date(now.getTime() - 90_000).toISOString(),
      ...(state === 'LIQUIDADO' && { liquidacao: now.toISOString() }),
    },
    extras: {
      ...(isExecuted && { protocolo: '0123456789ABCDEF0123456789ABCDEF' }),
      codigoBarras: BARCODE,
      linhaDigitavel: TYPEABLE_LINE,
      dataExecucao: localDate(now.getTime(), TIME_ZONE),
      ...(reason !== undefined && { motivoRecusa: reason }),
    },
  }
}

function openBankingBody(state: string, ids: Ids, now: Date) {
  const isRefund = state === 'devolucao'
  const hasReason = state === 'rejeitado' || state === 'expirado'
  return {
    identificadorPagamento: ids.openBankingPayment,
    valor: '150.10',
    status: isRefund ? 'aceito' : state,
    dataCriacao: now.toISOString(),
    endToEndId: ids.endToEndId,
    idProprio: 'pedido-17',
    tipo: isRefund ? 'devolucao' : 'pagamento',
    ...(hasReason && { motivo: 'Saldo insuficiente.' }),
    ...(isRefund && { identificadorDevolucao: ids.opening }),
  }
}

function notificationKind(states: readonly string[], idOf: (ids: Ids) => object): TriggerKind {
  return {
    states,
    preset: 'service',
    fixtureOf: (state, ids, now) => {
      const entry = {
        custom_id: 'pedido-17',
        status: state,
        created_at: localDateTime(now.getTime(), TIME_ZONE),
        ...(state === 'paid' && { received_by_bank_at: localDate(now.getTime(), TIME_ZONE) }),
      }
      return { body: { notification: { token: ids.token, entries: [Object.assign(idOf(ids), entry)] } }, suffix: '' }
    },
  }
}

/** The fixture of the institution with the ids in place of its own. */
function instantPayment(state: string, { endToEndId, txid, recurrence }: Ids): TriggerFixture {
  const fixture = INSTITUTIONS['instant-payment']?.fixtures[state]
  if (fixture === undefined) throw new TypeError(`unreachable: there is no fixture ${state}`)
  const body = structuredClone(fixture.body) as Record<string, Record<string, unknown>[] | undefined>
  for (const [at, payment] of (body.pix ?? []).entries()) {
    const own = at === 0 ? { endToEndId, txid } : { endToEndId: newIds().endToEndId, txid: newIds().txid }
    Object.assign(payment, own)
  }
  for (const one of body.recs ?? []) one.idRec = recurrence
  for (const one of body.cobsr ?? []) Object.assign(one, { idRec: recurrence, txid })
  // Behind the path of the registered URL.
  return { body, suffix: fixture.path.replace(/^\/[^/]+/, '') }
}
