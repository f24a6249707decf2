import { z } from 'zod'
import { outlookMembers } from '../control-api/outlook.ts'
import { PAYMENT_STATUSES } from '../money/payment.ts'
import { isCalendarDate } from '../rules/calendar-date.ts'
import { callbackCounts } from '../webhooks/callback-outlook.ts'
import { LARGEST_AMOUNT } from './bill.ts'

const cents = z.int().min(0).max(LARGEST_AMOUNT)
const date = z.string().refine(isCalendarDate, 'a date, as 2026-01-31')
const name = z.string().min(1)
const document = z.string().regex(/^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/, 'a CPF of 11 or a CNPJ of 14 characters')

const rate = z.strictObject({
  type: z.enum(['currency', 'percentage']),
  value: z.int().min(0).describe('In cents, or in hundredths of a percent'),
})

const common = {
  unknown: z.boolean().describe('The service answers as if it did not know the barcode'),
  payable: z.boolean().describe('false: withdrawn by its issuer'),
}

const registry = {
  beneficiary: z.strictObject({ name, tradeName: name, document }),
  payer: z.strictObject({ name, document }),
  payableUntil: date.describe('Last day of payment; default: 60 days after the due date'),
  abatement: cents.describe('Cents taken off in every case'),
  fine: rate.nullable().describe('Once, when it is paid late'),
  interest: rate.nullable().describe('Cents for each day it is late, or a percentage for each 30 days'),
  discount: z
    .strictObject({ ...rate.shape, until: date })
    .nullable()
    .describe('Up to and on a day'),
  divergent: z
    .strictObject({ min: cents, max: cents })
    .refine(({ min, max }) => min <= max, 'min is above max')
    .nullable()
    .describe('Bounds of other amounts that are accepted; null: none'),
  partial: z
    .strictObject({ maxPayments: z.int().min(1) })
    .nullable()
    .describe('null: no partial payments'),
}

/** What the control API can set, with the names of `BilletTerms`. */
export const termsPatch = z.strictObject({ ...common, ...registry }).partial()

export const newBill = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('billet'),
    amount: cents.describe('In cents; 0: any amount'),
    dueDate: date.nullable().optional().describe('Default: 7 days from now; null: none'),
    bank: z.int().min(1).max(999).default(237),
    ...termsPatch.shape,
  }),
  z.strictObject({
    kind: z.literal('tax'),
    amount: cents.describe('In cents; 0: any amount'),
    dueDate: date.nullable().default(null),
    segment: z.literal([1, 2, 3, 4, 5, 6, 7, 9]).default(2).describe('Of FEBRABAN’s layout, as 2 for water and sewage'),
    modulo: z.literal([10, 11]).default(10).describe('Of its check digits'),
    unknown: common.unknown.optional(),
    payable: common.payable.optional(),
  }),
])

export const paymentView = z.object({
  idPagamento: z.string(),
  account: z.string(),
  codBarras: z.string(),
  amount: z.int(),
  day: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  reason: z.string().nullable(),
})

export const billView = z.object({
  codBarras: z.string(),
  linhaDigitavel: z.string(),
  kind: z.enum(['billet', 'tax']),
  amount: z.int().nullable(),
  dueDate: z.string().nullable(),
  terms: z.looseObject(common),
  payments: z.array(paymentView),
})

export const billRecord = billView.extend({
  payments: z.array(
    paymentView.extend({
      states: z.array(z.object({ status: z.enum(PAYMENT_STATUSES), at: z.iso.datetime() })),
      callbacks: callbackCounts,
    }),
  ),
  charge: z.int().nullable().describe('The charge whose billet it is'),
  detailed: z.array(z.object({ account: z.string(), at: z.iso.datetime() })).describe('Who asked for the detail first'),
  offer: z
    .object({ due: z.int().nullable(), min: z.int(), max: z.int(), obstacle: z.string().nullable() })
    .describe(
      'What the service accepts for a payment that is asked for now, in cents; `obstacle` null: it can be paid',
    ),
  ...outlookMembers,
})

export const reasonBody = z.strictObject({ reason: z.string().min(1).optional() })
