import { z } from 'zod'
import { isCalendarDate } from '../rules/calendar-date.ts'
import { isCnpj, isCpf } from '../rules/tax-ids.ts'

/** Requests of Document 2 and of service-decisions.md (Document 2, the rest). */

const LONGEST_TEXT = 255
const text = z.string().min(1).max(LONGEST_TEXT)
const cents = z.int().min(0)

export const date = z
  .string()
  .refine(isCalendarDate, 'Informe uma data no formato YYYY-MM-DD.')
  .meta({ format: 'date' })

export const item = z.strictObject({
  name: text.regex(/^[^<>]*$/, 'Os caracteres < e > não são permitidos.'),
  value: cents.describe('Cents for each piece'),
  amount: z.int().min(1).default(1),
})

export const shipping = z.strictObject({
  name: z.string().max(LONGEST_TEXT),
  value: cents,
  payee_code: z
    .string()
    .regex(/^[0-9a-fA-F]{32}$/, 'Informe 32 caracteres hexadecimais.')
    .optional()
    .describe('Default: that of the account'),
})

export const notificationUrl = z
  .string()
  .max(LONGEST_TEXT)
  .regex(/^https?:\/\/./, 'A URL deve começar com http:// ou https://.')
  .describe('What cannot be reached fails at delivery')

export const chargeBody = z.strictObject({
  items: z.array(item).min(1),
  shippings: z.array(shipping).min(1).optional(),
  metadata: z
    .strictObject({
      custom_id: z.string().max(LONGEST_TEXT).nullable().optional(),
      notification_url: notificationUrl.nullable().optional(),
    })
    .optional(),
})

export const metadataBody = z.strictObject({
  notification_url: notificationUrl.nullable().optional().describe('null: no notifications are sent'),
  custom_id: z.string().max(LONGEST_TEXT).optional(),
})

export const historyBody = z.strictObject({ description: text })

export const conditionalDiscount = z
  .strictObject({
    type: z.enum(['currency', 'percentage']),
    value: z.int().min(0).describe('Cents, or hundredths of a percent'),
    until_date: date.describe('The last day on which it holds'),
  })
  .refine(({ type, value }) => type === 'currency' || value <= 10_000, {
    path: ['value'],
    message: 'O desconto não pode passar de 10000, que são 100%.',
  })

/** Attributes of a payment link. The optional ones keep their values when they are left out; null removes the conditional discount. */
export const linkBody = z.strictObject({
  billet_discount: cents.optional(),
  card_discount: cents.optional(),
  conditional_discount: conditionalDiscount.nullable().optional(),
  message: z.string().min(3).max(80).optional(),
  expire_at: date,
  request_delivery_address: z.boolean(),
  payment_method: z.enum(['banking_billet', 'credit_card', 'all']),
})

const STATES = [
  ...['AC', 'AL', 'AP', 'AM', 'BA', 'CE', 'DF', 'ES', 'GO', 'MA', 'MT', 'MS', 'MG', 'PA'],
  ...['PB', 'PR', 'PE', 'PI', 'RJ', 'RN', 'RS', 'RO', 'RR', 'SC', 'SP', 'SE', 'TO'],
]

export const address = z.strictObject({
  street: text,
  number: z.union([z.string().min(1).max(55), z.int().min(0)]),
  complement: z
    .string()
    .max(55)
    .nullable()
    .optional()
    .transform((complement) => complement ?? null),
  neighborhood: text,
  city: text,
  state: z.enum(STATES),
  zipcode: z.string().regex(/^\d{8}$/, 'Informe o CEP com 8 dígitos.'),
})

const customerFields = {
  name: text.regex(/\S+\s+\S+/, 'Informe nome e sobrenome.'),
  cpf: z.string().refine(isCpf, 'O CPF não é válido.').meta({ pattern: '^\\d{11}$' }),
  email: z.email().max(LONGEST_TEXT),
  phone_number: z.string().regex(/^[1-9]{2}\d{8,9}$/, 'Informe DDD e telefone, com 10 ou 11 dígitos.'),
}

/** What the payment page asks for. */
export const pageCustomer = z.strictObject(customerFields)

const customer = pageCustomer
  .partial({ name: true, cpf: true })
  .extend({
    birth: date.optional(),
    address: address.optional(),
    juridical_person: z
      .strictObject({ corporate_name: text, cnpj: z.string().refine(isCnpj, 'O CNPJ não é válido.') })
      .optional()
      .describe('A company, which is the payer; beside it or in place of name and cpf'),
  })
  .superRefine(({ juridical_person, ...person }, context) => {
    if (juridical_person !== undefined) return
    for (const path of ['name', 'cpf'] as const)
      if (person[path] === undefined)
        context.addIssue({ code: 'custom', path: [path], message: 'Este campo é obrigatório.' })
  })

/** At most 4 lines of at most 100 characters, whichever line ends the client's system writes. */
const billetMessage = z
  .string()
  .regex(/^[^\r\n]{0,100}(\r?\n[^\r\n]{0,100}){0,3}$/u, 'Informe até 4 linhas com até 100 caracteres cada.')

export const billet = z.strictObject({
  customer,
  expire_at: date,
  configurations: z
    .strictObject({ fine: z.int().min(0).optional(), interest: z.int().min(0).optional() })
    .optional()
    .describe('fine: once, in hundredths of a percent; interest: for each day, in thousandths of a percent'),
  conditional_discount: conditionalDiscount
    .nullable()
    .optional()
    .describe('As beside `payment`; some clients send it here'),
  message: billetMessage.optional(),
})

export const card = z.strictObject({
  customer,
  payment_token: z.string().regex(/^[0-9a-fA-F]{40}$/, 'O token de pagamento tem 40 caracteres hexadecimais.'),
  billing_address: address.optional(),
  installments: z.int().min(1).max(12).default(1),
  message: billetMessage.optional(),
})

/** A body that sets exactly one payment method. */
export function paymentBodyOf<B extends z.ZodType, C extends z.ZodType>(billetBody: B, cardBody: C) {
  return z.strictObject({
    payment: z
      .strictObject({ banking_billet: billetBody.optional(), credit_card: cardBody.optional() })
      .refine(({ banking_billet, credit_card }) => (banking_billet === undefined) !== (credit_card === undefined), {
        error: 'Informe banking_billet ou credit_card.',
      }),
    conditional_discount: conditionalDiscount.nullable().optional(),
  })
}

export const payBody = paymentBodyOf(billet, card)

export type LinkBody = z.output<typeof linkBody>
export type PayBody = z.output<typeof payBody>
export type ChargeBody = z.output<typeof chargeBody>
export type BilletBody = z.output<typeof billet>
export type CardBody = z.output<typeof card>
