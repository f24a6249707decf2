import { html } from '../../http/html.ts'
import type { FileAnswer, Page, PageAnswer, PageRequest } from '../../http/pages.ts'
import { decimalOf } from '../../rules/money.ts'
import type { Site } from '../../site.ts'
import { fullAmount } from '../amounts.ts'
import type { BilletPayment, Charge } from '../charge.ts'
import { listCharges } from '../charges.ts'
import { printBillet } from '../payments.ts'
import { pdfOf } from './pdf.ts'

export type BilletCharge = Charge & { readonly payment: BilletPayment }

/** Address of a billet's page. */
export function billetLink(site: Site, { pageId }: BilletPayment): string {
  return `${site.origin()}/billets/${pageId}`
}

/** A billet as a page, which has a button to print it, and as a PDF. */
export function billetPages(site: Site): Page[] {
  function chargeOf({ params }: PageRequest): BilletCharge | undefined {
    for (const charge of listCharges(site)) {
      const { payment } = charge
      if (payment?.method === 'banking_billet' && payment.pageId === params.pageId) return { ...charge, payment }
    }
    return undefined
  }
  return [
    {
      path: '/billets/:pageId.pdf',
      show(request) {
        const charge = chargeOf(request)
        return charge === undefined ? UNKNOWN : fileFor(site, charge)
      },
    },
    {
      path: '/billets/:pageId',
      show(request) {
        const charge = chargeOf(request)
        return charge === undefined ? UNKNOWN : pageFor(site, charge)
      },
      submit(request) {
        const charge = chargeOf(request)
        if (charge === undefined) return UNKNOWN
        if (charge.status === 'canceled') return { ...pageFor(site, charge), status: 409 }
        return pageFor(site, printBillet(site, charge, charge.payment))
      },
    },
  ]
}

const UNKNOWN: PageAnswer = { status: 404, title: 'Unknown billet', content: html`<p>No charge has this billet.</p>` }

const WATERMARK = 'TEST - NOT VALID - CANNOT BE PAID'

/** Billets of the sandbox cannot be paid; null: no watermark. */
export function watermarkOf({ environment }: Site): string | null {
  return environment === 'sandbox' ? WATERMARK : null
}

function linesOf(charge: BilletCharge): string[] {
  const { payment, customer, items, belongsTo } = charge
  return [
    ...(belongsTo?.kind === 'carnet' ? [`Parcel ${belongsTo.parcel} of carnet ${belongsTo.id}`] : []),
    `Payer: ${customer?.name} (${customer?.cpf})`,
    ...items.map(({ name, value, amount }) => `${amount} x ${name}: R$ ${decimalOf(value)}`),
    `Amount: R$ ${decimalOf(fullAmount(charge, payment.discount))}`,
    `Due date: ${payment.expire_at}`,
    ...(charge.conditionalDiscount === null ? [] : [`Discount until ${charge.conditionalDiscount.until_date}`]),
    ...(payment.message?.split('\n') ?? []),
    payment.typeableLine,
  ]
}

function pageFor(site: Site, charge: BilletCharge): PageAnswer {
  const watermark = watermarkOf(site)
  const content = html`${watermark === null ? null : html`<p><strong>${watermark}</strong></p>\n`}
${linesOf(charge).map((line) => html`<p>${line}</p>\n`)}<p>Status: ${charge.status}</p>
<p><a href="${billetLink(site, charge.payment)}.pdf">PDF</a></p>
${charge.payment.printedAt === null ? null : html`<p>Printed.</p>\n`}<form method="post"><button>Print</button></form>`
  return { status: 200, title: `Billet of charge ${charge.id}`, content }
}

function fileFor(site: Site, charge: BilletCharge): FileAnswer {
  return { status: 200, type: 'application/pdf', bytes: billetsPdf(site, [charge]) }
}

/** A file in which each billet begins on a page of its own. */
export function billetsPdf(site: Site, charges: readonly BilletCharge[]): Buffer {
  const texts = charges.map((charge) => ({ title: `Billet of charge ${charge.id}`, lines: linesOf(charge) }))
  return pdfOf(texts, watermarkOf(site))
}
