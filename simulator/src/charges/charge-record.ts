import { z } from 'zod'
import { isoOf, outlookMembers, outlookView } from '../control-api/outlook.ts'
import { notificationOutlook, notificationsMember } from '../notifications/outlook.ts'
import type { Site } from '../site.ts'
import { amountDueOn, totalOf } from './amounts.ts'
import { billetOf } from './answers.ts'
import type { BilletPayment, CardPayment, Charge } from './charge.ts'
import { chargeOutlook } from './charge-outlook.ts'
import { todayOf } from './charges.ts'
import { codeOf } from './instant-payments.ts'

export const chargeState = z.object({
  charge_id: z.int(),
  account: z.string(),
  status: z.string(),
  total: z.int(),
  custom_id: z.string().nullable(),
})

/** A charge in a list of the control API. */
export function chargeStateOf(charge: Charge): z.output<typeof chargeState> {
  const { id, account, status, customId } = charge
  return { charge_id: id, account, status, total: totalOf(charge), custom_id: customId }
}

const billetMember = z.object({
  method: z.literal('banking_billet'),
  expire_at: z.string(),
  typeable_line: z.string(),
  page: z.url(),
  pdf: z.url(),
  instant_payment_code: z.string().nullable(),
  printed: z.boolean(),
})

const cardMember = z.object({
  method: z.literal('credit_card'),
  brand: z.string(),
  mask: z.string(),
  installments: z.int(),
  outcome: z.enum(['paid', 'unpaid']).describe('What the card’s bank answers'),
})

export const chargeRecord = chargeState.extend({
  to_pay: z.int().nullable().describe('Cents that the payer would pay today; null: no payment can arrive'),
  created_at: z.iso.datetime(),
  belongs_to: z.object({ kind: z.string(), id: z.int(), parcel: z.int() }).nullable(),
  payment: z.union([billetMember, cardMember]).nullable(),
  link: z.object({ page: z.url(), payment_method: z.string(), expire_at: z.string() }).nullable(),
  received: z.object({ cents: z.int(), paid_on: z.string(), confirmed_at: z.iso.datetime() }).nullable(),
  notifications: notificationsMember,
  ...outlookMembers,
})

/** All that is known of a charge, and what comes next. */
export function chargeRecordOf(site: Site, charge: Charge): z.input<typeof chargeRecord> {
  const { id, status, createdAt, belongsTo, payment, link, received } = charge
  const { notifications, ...others } = notificationOutlook(site, {
    ...charge,
    isAbout: (chargeId) => chargeId === id,
    metadata: `PUT /v1/charge/${id}/metadata`,
  })
  const isOver = status === 'paid' || status === 'canceled'
  return {
    ...chargeStateOf(charge),
    to_pay: isOver ? null : amountDueOn(charge, todayOf(site)),
    created_at: isoOf(createdAt),
    belongs_to: belongsTo,
    payment: payment && paymentMember(site, payment),
    link: link && {
      page: `${site.origin()}/payment-links/${link.pageId}`,
      payment_method: link.payment_method,
      expire_at: link.expire_at,
    },
    received: received && {
      cents: received.cents,
      paid_on: received.paidOn,
      confirmed_at: isoOf(received.confirmedAt),
    },
    notifications,
    ...outlookView(site, chargeOutlook(site, charge), others),
  }
}

function paymentMember(site: Site, payment: BilletPayment | CardPayment) {
  const { method } = payment
  if (method === 'credit_card') {
    const { brand, mask, installments, outcome } = payment
    return { method, brand, mask, installments, outcome }
  }
  const { typeableLine, expire_at, printedAt } = payment
  const { link, pdf } = billetOf(site, payment)
  return {
    method,
    expire_at,
    typeable_line: typeableLine,
    page: link,
    pdf: pdf.charge,
    instant_payment_code: codeOf(site, payment),
    printed: printedAt !== null,
  }
}
