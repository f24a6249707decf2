import { z } from 'zod'
import { barcode, typeableLine } from '../bills/schema.ts'
import { INSTITUTIONS } from '../institutions/fixtures.ts'
import type { Interface } from '../interfaces.ts'
import { PAYMENT_STATUSES } from '../money/payment.ts'
import { OPEN_BANKING_STATUSES, OPEN_BANKING_TYPES } from '../open-banking/callback-values.ts'

/** A call of the service to a receiver, as the OpenAPI documents show it. Members that a receiver does not know can be added at any time. */
export interface DocumentedCallback {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly schema: z.ZodType
  readonly type: 'application/json' | 'application/x-www-form-urlencoded'
  readonly example: unknown
}

const paymentStatus = z.enum(PAYMENT_STATUSES)

const extrasSchema = z.object({
  protocolo: z.string().optional().describe('Of the bank, from the execution on'),
  codigoBarras: barcode,
  linhaDigitavel: typeableLine,
  dataExecucao: z.iso.date(),
  motivoRecusa: z.string().optional().describe('Why it was not made, or canceled'),
})

const paymentSchema = (extras: string) =>
  z.object({
    identificador: z.string().regex(/^\d+$/).describe('`idPagamento` of the payment'),
    status: z.object({ anterior: paymentStatus, atual: paymentStatus }),
    valor: z
      .string()
      .regex(/^\d+\.\d{2}$/)
      .describe('Reais with two decimals'),
    horario: z.object({
      solicitacao: z.iso.datetime(),
      liquidacao: z.iso.datetime().optional().describe('From the settlement on'),
    }),
    [extras]: extrasSchema,
  })

const openingSchema = z.object({
  contaSimplificada: z.object({ identificador: z.uuid() }),
  evento: z.enum(['conta_aberta', 'conta_recusada_pelo_cliente_final']),
})

const openBankingSchema = z.object({
  identificadorPagamento: z.string(),
  valor: z.string().regex(/^\d+\.\d{2}$/),
  status: z.enum(OPEN_BANKING_STATUSES),
  dataCriacao: z.string(),
  endToEndId: z.string(),
  idProprio: z.string(),
  tipo: z.enum(OPEN_BANKING_TYPES),
  motivo: z.string().optional().describe('Of `rejeitado` and `expirado`'),
  identificadorDevolucao: z.string().optional().describe('Of `devolucao`'),
})

const notificationSchema = z.object({
  notification: z.object({
    token: z.string(),
    entries: z.array(
      z.object({
        charge_id: z.int().optional(),
        subscription_id: z.int().optional(),
        carnet_id: z.int().optional(),
        custom_id: z.string().nullable(),
        status: z.string(),
        created_at: z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
        received_by_bank_at: z.iso.date().optional().describe('With `paid`: the day on which the payment was made'),
      }),
    ),
  }),
})

const testSchema = z.object({ evento: z.literal('teste_webhook').optional() })

/** The example of a kind: what `conformance`, `trigger` and `play` send. */
function sent(kind: string): Record<string, unknown> {
  return INSTITUTIONS.service?.fixtures[kind]?.body as Record<string, unknown>
}

const TEST: DocumentedCallback = {
  name: 'testCall',
  summary: 'The test call, before an address is registered',
  description:
    'Two requests: one without a certificate, which the receiver must refuse, and one with it, which it must answer with 2xx.',
  schema: testSchema,
  type: 'application/json',
  example: { evento: 'teste_webhook' },
}

/** What the service sends for each interface. @param extras name of the last member of a payment callback */
export function callbacksOf(name: Interface, extras: string): readonly DocumentedCallback[] {
  switch (name) {
    case 'account':
      return []
    case 'payment':
      return [TEST, paymentCallback(extras)]
    case 'registration':
      return [TEST, OPENING]
    case 'open-banking':
      return [TEST, OPEN_BANKING]
    case 'charges':
      return [NOTIFICATION, TOKEN]
  }
}

function paymentCallback(name: string): DocumentedCallback {
  const { extras, ...members } = sent('payment')
  return {
    name: 'payment',
    summary: 'The status of a payment changed',
    description: 'Over mutual TLS, to each registered address of the account.',
    schema: paymentSchema(name),
    type: 'application/json',
    example: { ...members, [name]: extras },
  }
}

const OPENING: DocumentedCallback = {
  name: 'accountOpening',
  summary: 'An account was opened, or the end client refused',
  description: 'Over mutual TLS, to each registered address of the account that asked.',
  schema: openingSchema,
  type: 'application/json',
  example: sent('registration'),
}

const OPEN_BANKING: DocumentedCallback = {
  name: 'openBankingPayment',
  summary: 'The status of an open-banking payment or refund changed',
  description:
    'Over mutual TLS to `webhookURL`; with `hmac`, the hash is the parameter `hmac` at the end of its query.',
  schema: openBankingSchema,
  type: 'application/json',
  example: sent('open-banking'),
}

const NOTIFICATION: DocumentedCallback = {
  name: 'chargeStatus',
  summary: 'The status of a charge, a subscription or a carnet changed',
  description: 'To `notification_url`, without a client certificate. The body is JSON, or the form with a token.',
  schema: notificationSchema,
  type: 'application/json',
  example: sent('charge'),
}

const TOKEN: DocumentedCallback = {
  ...NOTIFICATION,
  schema: z.object({ notification: z.string().describe('Token: `GET /v1/notification/{token}` has the entries') }),
  type: 'application/x-www-form-urlencoded',
  example: { notification: (sent('charge').notification as { token: string }).token },
}
