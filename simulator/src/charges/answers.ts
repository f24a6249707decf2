import { z } from 'zod'
import { localDate, localDateTime, localTime } from '../rules/local-time.ts'
import { qrCodeImage } from '../rules/qr-code.ts'
import type { Site } from '../site.ts'
import { amountToPay, totalOf } from './amounts.ts'
import type { Address, BilletPayment, CardPayment, Charge, PaymentLink } from './charge.ts'
import { codeOf } from './instant-payments.ts'

const STATUSES = ['new', 'waiting', 'unpaid', 'link', 'canceled', 'paid', 'expired'] as const
const METHODS = ['banking_billet', 'credit_card', 'all'] as const
export const status = z.enum(STATUSES)

/** The form of every answer. */
export function dataOf<T extends z.ZodType>(data: T) {
  return z.object({ code: z.literal(200), data })
}

/** The answer of changes that return no record (service-decisions.md, answers of endpoints 2 to 4). */
export const codeSchema = z.object({ code: z.literal(200) })

export const createdSchema = z.object({
  charge_id: z.int(),
  total: z.int(),
  status,
  custom_id: z.string().nullable(),
  created_at: localTime,
})

export function createdView(site: Site, charge: Charge) {
  const { id, status, customId, createdAt } = charge
  return {
    charge_id: id,
    total: totalOf(charge),
    status,
    custom_id: customId,
    created_at: localDateTime(createdAt, site.settings.timeZone),
  }
}

const linkAttributes = z.object({
  payment_url: z.url(),
  payment_method: z.enum(METHODS),
  billet_discount: z.int().nullable(),
  card_discount: z.int().nullable(),
  conditional_discount_value: z.int().nullable(),
  conditional_discount_type: z.enum(['percentage', 'currency']).nullable(),
  conditional_discount_date: z.iso.date().nullable(),
  request_delivery_address: z.boolean(),
  message: z.string().nullable(),
  expire_at: z.iso.date(),
})

export const linkSchema = linkAttributes.extend({ charge_id: z.int(), status, total: z.int(), created_at: localTime })

/** The record of a link (service-decisions.md, answer of endpoint 1). */
export function linkView(site: Site, charge: Charge, link: PaymentLink) {
  const { custom_id, ...record } = createdView(site, charge)
  return { ...record, ...linkAttributesOf(site, charge, link) }
}

function linkAttributesOf(site: Site, { conditionalDiscount }: Charge, link: PaymentLink) {
  const { pageId, deliveryAddress, ...attributes } = link
  return {
    ...attributes,
    payment_url: `${site.origin()}/payment-links/${pageId}`,
    conditional_discount_value: conditionalDiscount?.value ?? null,
    conditional_discount_type: conditionalDiscount?.type ?? null,
    conditional_discount_date: conditionalDiscount?.until_date ?? null,
  }
}

export const billetSchema = z.object({
  barcode: z.string().regex(/^\d{47}$/),
  link: z.url(),
  billet_link: z.url(),
  pdf: z.object({ charge: z.url() }),
  expire_at: z.iso.date(),
  configurations: z.object({ days_to_write_off: z.int(), fine: z.int(), interest: z.int() }),
  pix: z.object({ qrcode: z.string(), qrcode_image: z.string() }).optional(),
})

export function billetOf(site: Site, payment: BilletPayment) {
  const { typeableLine, pageId, expire_at, fine, interest } = payment
  const code = codeOf(site, payment)
  const link = `${site.origin()}/billets/${pageId}`
  return {
    barcode: typeableLine,
    link,
    billet_link: link,
    expire_at,
    pdf: { charge: `${link}.pdf` },
    configurations: { days_to_write_off: 0, fine, interest },
    ...(code !== null && { pix: { qrcode: code, qrcode_image: imageOf(code) } }),
  }
}

function imageOf(code: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(qrCodeImage(code)).toString('base64')}`
}

const paidBase = { charge_id: z.int(), total: z.int(), status }
const cardAmounts = { installments: z.int(), installment_value: z.int() }

/** The answer of `POST /v1/charge/:id/pay`. */
export const paySchema = z.union([
  z.object({ ...paidBase, payment: z.literal('banking_billet'), ...billetSchema.shape }),
  z.object({ ...paidBase, payment: z.literal('credit_card'), ...cardAmounts }),
])

export function payView(site: Site, charge: Charge, payment: BilletPayment | CardPayment) {
  const base = { charge_id: charge.id, total: totalOf(charge), status: charge.status, payment: payment.method }
  if (payment.method === 'banking_billet') return { ...base, ...billetOf(site, payment) }
  return { ...base, ...installmentsOf(site, charge, payment) }
}

/** The last cents are on every instalment, as card banks round them. */
function installmentsOf(site: Site, charge: Charge, { setAt, discount, installments }: CardPayment) {
  const cents = amountToPay(charge, discount, localDate(setAt, site.settings.timeZone))
  return { installments, installment_value: Math.ceil(cents / installments) }
}

const addressSchema = z.object({
  street: z.string(),
  number: z.union([z.string(), z.int()]),
  complement: z.string().nullable(),
  neighborhood: z.string(),
  city: z.string(),
  state: z.string(),
  zipcode: z.string(),
})

/** Clients expect a card's address in every answer. */
const NO_ADDRESS: Address = {
  street: '',
  number: '',
  complement: null,
  neighborhood: '',
  city: '',
  state: '',
  zipcode: '',
}

const paymentFacts = {
  created_at: localTime,
  message: z.string().nullable(),
  paid_at: localTime.nullable(),
  paid_value: z.int().nullable(),
  received_by_bank_at: z.string().nullable(),
}

export const chargeSchema = createdSchema.extend({
  notification_url: z.string().nullable(),
  parcel: z.int().describe('Number of instalments'),
  items: z.array(z.object({ name: z.string(), value: z.int(), amount: z.int() })),
  shippings: z.array(z.object({ name: z.string(), value: z.int(), payee_code: z.string() })).optional(),
  history: z.array(z.object({ message: z.string(), created_at: localTime })),
  customer: z
    .object({
      name: z.string().optional(),
      cpf: z.string().optional(),
      email: z.string(),
      phone_number: z.string(),
      juridical_person: z.object({ corporate_name: z.string(), cnpj: z.string() }).optional(),
      birth: z.string().optional(),
      address: addressSchema.optional(),
    })
    .optional(),
  conditional_discount: z.object({ type: z.string(), value: z.int(), until_date: z.string() }).nullable(),
  delivery_address: addressSchema.optional(),
  payment: z
    .union([
      z.object({ method: z.literal('banking_billet'), ...paymentFacts, banking_billet: billetSchema }),
      z.object({
        method: z.literal('credit_card'),
        ...paymentFacts,
        credit_card: z.object({
          mask: z.string(),
          brand: z.string(),
          ...cardAmounts,
          address: addressSchema.describe('Empty texts: neither a billing address nor one of the customer was given'),
        }),
      }),
    ])
    .optional(),
  link: linkAttributes.optional(),
})

/** The whole record of a charge. */
export function chargeView(site: Site, charge: Charge) {
  const { items, shippings, customer, link, payment } = charge
  const { timeZone } = site.settings
  return {
    ...createdView(site, charge),
    notification_url: charge.notificationUrl,
    parcel: payment?.method === 'credit_card' ? payment.installments : 1,
    items,
    ...(shippings.length > 0 && { shippings }),
    history: charge.history.map(({ message, at }) => ({ message, created_at: localDateTime(at, timeZone) })),
    ...(customer !== null && { customer }),
    conditional_discount: charge.conditionalDiscount,
    ...(link !== null && { link: linkAttributesOf(site, charge, link) }),
    ...(link?.deliveryAddress && { delivery_address: link.deliveryAddress }),
    ...(payment !== null && { payment: paymentOf(site, charge, payment) }),
  }
}

function paymentOf(site: Site, charge: Charge, payment: BilletPayment | CardPayment) {
  const { received } = charge
  const { timeZone } = site.settings
  const facts = {
    created_at: localDateTime(payment.setAt, timeZone),
    message: payment.message,
    paid_at: received === null ? null : localDateTime(received.confirmedAt, timeZone),
    paid_value: received?.cents ?? null,
    received_by_bank_at: received?.paidOn ?? null,
  }
  if (payment.method === 'banking_billet')
    return { method: payment.method, ...facts, banking_billet: billetOf(site, payment) }
  const { mask, brand, address } = payment
  const card = { mask, brand, ...installmentsOf(site, charge, payment), address: address ?? NO_ADDRESS }
  return { method: payment.method, ...facts, credit_card: card }
}
