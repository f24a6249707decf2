import { drawing, html } from '../../http/html.ts'
import type { FileAnswer, Page, PageAnswer, PageRequest } from '../../http/pages.ts'
import { barcodeOf } from '../../rules/barcode.ts'
import { qrCodeImage } from '../../rules/qr-code.ts'
import type { Site } from '../../site.ts'
import type { BilletPayment } from '../charge.ts'
import { findCharge } from '../charges.ts'
import { codeOf } from '../instant-payments.ts'
import { recordOfPage } from '../page-ids.ts'
import { printBillet } from '../payments.ts'
import { type BilletCharge, linesOf } from './billet-lines.ts'
import { barsOf, qrDrawingOf } from './codes.ts'
import { type Drawing, pdfOf } from './pdf.ts'

/** Address of a billet's page. */
export function billetLink(site: Site, { pageId }: BilletPayment): string {
  return `${site.origin()}/billets/${pageId}`
}

/** A billet as a page, which has a button to print it, and as a PDF. */
export function billetPages(site: Site): Page[] {
  function chargeOf({ params }: PageRequest): BilletCharge | undefined {
    const charge = findCharge(site, recordOfPage(params.pageId))
    if (charge?.payment?.method !== 'banking_billet' || charge.payment.pageId !== params.pageId) return undefined
    return { ...charge, payment: charge.payment }
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

function pageFor(site: Site, charge: BilletCharge): PageAnswer {
  const watermark = watermarkOf(site)
  const code = codeOf(site, charge.payment)
  const content = html`${watermark === null ? null : html`<p><strong>${watermark}</strong></p>\n`}
${linesOf(site, charge).map((line) => html`<p>${line}</p>\n`)}${code === null ? null : drawing(qrCodeImage(code))}<p>Status: ${charge.status}</p>
<p><a href="${billetLink(site, charge.payment)}.pdf">PDF</a></p>
${charge.payment.printedAt === null ? null : html`<p>Printed.</p>\n`}<form method="post"><button>Print</button></form>`
  return { status: 200, title: `Billet of charge ${charge.id}`, content }
}

function fileFor(site: Site, charge: BilletCharge): FileAnswer {
  return { status: 200, type: 'application/pdf', bytes: billetsPdf(site, [charge]) }
}

/** What machines read: the barcode, which zeros are not, and the instant-payment code. */
function drawingsOf(site: Site, { payment }: BilletCharge): Drawing[] {
  const code = codeOf(site, payment)
  return [
    ...(watermarkOf(site) === null ? [barsOf(barcodeOf(payment.typeableLine))] : []),
    ...(code === null ? [] : [qrDrawingOf(code)]),
  ]
}

/** A file in which each billet begins on a page of its own. */
export function billetsPdf(site: Site, charges: readonly BilletCharge[]): Buffer {
  const texts = charges.map((charge) => ({
    title: `Billet of charge ${charge.id}`,
    lines: linesOf(site, charge),
    drawings: drawingsOf(site, charge),
  }))
  return pdfOf(texts, watermarkOf(site))
}
