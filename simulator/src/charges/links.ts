import type { Site } from '../site.ts'
import { fullAmount, linkDiscount } from './amounts.ts'
import { typeableLineOf } from './billet-digits.ts'
import { type Charge, hasRefusedCard, type PaymentLink } from './charge.ts'
import { changeCharge, changeStatus } from './charges.ts'
import { newPageId } from './page-ids.ts'
import { scheduleDueDate, scheduleExpiry } from './payments.ts'
import type { LinkBody } from './schema.ts'

/** Gives a new charge its payment link. */
export function createLink(site: Site, charge: Charge, body: LinkBody): Charge & { link: PaymentLink } {
  return site.records.transaction(() => {
    const link = linkOf(body, {
      pageId: newPageId(charge.id),
      billet_discount: null,
      card_discount: null,
      message: null,
      deliveryAddress: null,
    })
    scheduleExpiry(site, charge.id, link)
    const changes = { link, conditionalDiscount: body.conditional_discount ?? null }
    return { ...changeStatus(site, charge, { ...changes, status: 'link', message: 'Link de pagamento criado' }), link }
  })
}

/**
 * Changes a link. Its date, message and discount are also those of a billet made there, which is not paid yet.
 * What expired is renewed by a new date, an unpaid billet waits again, and a link whose card was refused takes another payment.
 */
export function updateLink(
  site: Site,
  charge: Charge & { readonly link: PaymentLink },
  body: LinkBody,
): Charge & { link: PaymentLink } {
  return site.records.transaction(() => {
    const link = linkOf(body, charge.link)
    const { conditional_discount: conditionalDiscount = charge.conditionalDiscount } = body
    const changes = { link, conditionalDiscount, payment: paymentOfLink(site, charge, link) }
    scheduleExpiry(site, charge.id, link)
    if (changes.payment?.method === 'banking_billet') scheduleDueDate(site, charge.id, link.expire_at)
    const status = renewedStatus(charge)
    if (status === charge.status) return { ...changeCharge(site, charge, changes), link }
    return { ...changeStatus(site, charge, { ...changes, status, message: 'Link de pagamento renovado' }), link }
  })
}

type KeptAttributes = Pick<PaymentLink, 'pageId' | 'billet_discount' | 'card_discount' | 'message' | 'deliveryAddress'>

function linkOf(body: LinkBody, kept: KeptAttributes): PaymentLink {
  const { pageId, deliveryAddress } = kept
  const { expire_at, request_delivery_address, payment_method } = body
  return {
    pageId,
    deliveryAddress,
    expire_at,
    request_delivery_address,
    payment_method,
    billet_discount: body.billet_discount ?? kept.billet_discount,
    card_discount: body.card_discount ?? kept.card_discount,
    message: body.message ?? kept.message,
  }
}

/** A card that waits for its bank was charged already; a refused one is left behind. */
function paymentOfLink(site: Site, charge: Charge, link: PaymentLink): Charge['payment'] {
  const { payment } = charge
  if (payment?.method !== 'banking_billet') return hasRefusedCard(charge) ? null : payment
  const { expire_at, message } = link
  const discount = linkDiscount(link, 'banking_billet')
  const cents = fullAmount(charge, discount)
  const typeableLine = typeableLineOf(site, charge, expire_at, cents)
  // Its location stays, so an earlier copy of the code leads to the new amount.
  const instantPayment = payment.instantPayment && { ...payment.instantPayment, amountCents: cents }
  return { ...payment, expire_at, message, discount, typeableLine, instantPayment }
}

function renewedStatus({ status, payment }: Charge): Charge['status'] {
  if (status === 'expired') return 'link'
  if (status !== 'unpaid') return status
  return payment?.method === 'banking_billet' ? 'waiting' : 'link'
}
