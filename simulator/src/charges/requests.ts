import type { Application } from '../applications.ts'
import { chargeProblem, type ServiceError } from '../http/service-error.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import type { Site } from '../site.ts'
import { totalOf } from './amounts.ts'
import { cardProblem, useCard } from './cards.ts'
import type { ConditionalDiscount, Customer, Shipping } from './charge.ts'
import { type ChargeParts, todayOf } from './charges.ts'
import type { BilletChoice, CardChoice } from './payments.ts'
import type { BilletBody, CardBody, ChargeBody, PayBody } from './schema.ts'

/** The amount of a billet has ten digits. */
const LARGEST_TOTAL = 9_999_999_999

/**
 * What a body says of a charge, or of each charge of a subscription.
 * @throws ServiceError 400 for a total that no billet can have
 */
export function chargePartsOf(
  site: Site,
  application: Application,
  { items, shippings = [], metadata = {} }: ChargeBody,
): Omit<ChargeParts, 'belongsTo'> {
  if (totalOf({ items, shippings }) > LARGEST_TOTAL) throw invalid('/items', 'O total é grande demais.')
  const { account, clientId } = application
  const { payeeCode } = site.applications.accountOf(application)
  return {
    account,
    clientId,
    items,
    shippings: shippings.map(({ payee_code = payeeCode, ...shipping }): Shipping => ({ ...shipping, payee_code })),
    customId: metadata.custom_id ?? null,
    notificationUrl: metadata.notification_url ?? null,
  }
}

/** @param property of the due date @throws ServiceError 400 when the due date is before `from` */
export function billetChoiceOf(
  billet: BilletBody,
  beside: Pick<PayBody, 'conditional_discount'>,
  from: CalendarDate,
  property = '/payment/banking_billet/expire_at',
): BilletChoice {
  const { configurations: { fine = 0, interest = 0 } = {}, expire_at: expireAt, message = null } = billet
  if (expireAt < from) throw invalid(property, 'A data já passou.')
  const conditionalDiscount = billet.conditional_discount ?? beside.conditional_discount ?? null
  return { customer: customerOf(billet), message, expireAt, fine, interest, conditionalDiscount }
}

/** Uses up the card's token. @throws ServiceError 400 for a token that cannot be used */
export function cardChoiceOf(
  site: Site,
  card: CardBody,
  {
    conditional_discount: conditionalDiscount = null,
  }: { conditional_discount?: ConditionalDiscount | null | undefined },
): CardChoice {
  const problem = cardProblem(site, card.payment_token)
  if (problem !== null) throw invalid('/payment/credit_card/payment_token', problem)
  return {
    customer: customerOf(card),
    message: card.message ?? null,
    installments: card.installments,
    card: useCard(site, card.payment_token),
    address: card.billing_address ?? card.customer.address ?? null,
    conditionalDiscount,
  }
}

function customerOf({ customer: { email, phone_number, ...optional } }: Pick<BilletBody, 'customer'>): Customer {
  const given = Object.entries(optional).filter(([, value]) => value !== undefined)
  return { email, phone_number, ...Object.fromEntries(given) }
}

/** @throws ServiceError 400 */
export function requireNotPast(site: Site, property: string, date: CalendarDate): void {
  if (date < todayOf(site)) throw invalid(property, 'A data já passou.')
}

export function wrongMoment(message: string, property = '/status'): ServiceError {
  return chargeProblem(412, 'validation_error', { property, message })
}

export function invalid(property: string, message: string): ServiceError {
  return chargeProblem(400, 'validation_error', { property, message })
}
