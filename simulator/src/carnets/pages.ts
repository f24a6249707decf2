import { totalOf } from '../charges/amounts.ts'
import { recordOfPage } from '../charges/page-ids.ts'
import { payerLine } from '../charges/pages/billet-lines.ts'
import { billetLink, billetsPdf, watermarkOf } from '../charges/pages/billet-page.ts'
import { pdfOf } from '../charges/pages/pdf.ts'
import { printBillet } from '../charges/payments.ts'
import { type Html, html } from '../http/html.ts'
import type { FileAnswer, Page, PageAnswer, PageRequest } from '../http/pages.ts'
import { decimalOf } from '../rules/money.ts'
import type { Site } from '../site.ts'
import type { Carnet } from './carnet.ts'
import { findCarnet, type Parcel, parcelsOf, sumOf } from './carnets.ts'

/** Addresses of a carnet's page and cover, and of both as PDF. */
export function carnetLinks(site: Site, { pageId }: Carnet) {
  const page = `${site.origin()}/carnets/${pageId}`
  const cover = `${page}/cover`
  return { page, cover, pagePdf: `${page}.pdf`, coverPdf: `${cover}.pdf` }
}

/** A carnet for its payer: all parcels on a page with a button to print them, and its cover; both also as PDF. */
export function carnetPages(site: Site): Page[] {
  /** Answers a request for a carnet that exists, or 404. */
  function forCarnet<T>(answer: (carnet: Carnet, parcels: readonly Parcel[]) => T) {
    return function find({ params }: PageRequest): T | PageAnswer {
      const carnet = findCarnet(site, recordOfPage(params.pageId))
      return carnet === undefined || carnet.pageId !== params.pageId ? UNKNOWN : answer(carnet, parcelsOf(site, carnet))
    }
  }
  return [
    {
      path: '/carnets/:pageId.pdf',
      show: forCarnet((_carnet, parcels) => pdf(billetsPdf(site, parcels))),
    },
    {
      path: '/carnets/:pageId/cover.pdf',
      show: forCarnet((carnet, parcels) => {
        const text = { title: titleOf(carnet), lines: coverLinesOf(carnet, parcels) }
        return pdf(pdfOf([text], watermarkOf(site)))
      }),
    },
    {
      path: '/carnets/:pageId/cover',
      show: forCarnet((carnet, parcels) => coverPage(site, carnet, parcels)),
    },
    {
      path: '/carnets/:pageId',
      show: forCarnet((carnet, parcels) => pageFor(site, carnet, parcels)),
      submit: forCarnet((carnet, parcels) => {
        const printed = site.records.transaction(() => parcels.map((parcel) => print(site, parcel)))
        return pageFor(site, carnet, printed)
      }),
    },
  ]
}

const UNKNOWN: PageAnswer = { status: 404, title: 'Unknown carnet', content: html`<p>No carnet has this address.</p>` }

function pdf(bytes: Buffer): FileAnswer {
  return { status: 200, type: 'application/pdf', bytes }
}

/** A cancelled parcel is not printed. */
function print(site: Site, parcel: Parcel): Parcel {
  return parcel.status === 'canceled' ? parcel : printBillet(site, parcel, parcel.payment)
}

function titleOf({ id }: Carnet): string {
  return `Carnet ${id}`
}

function coverLinesOf({ items }: Carnet, parcels: readonly Parcel[]): string[] {
  const [first] = parcels
  return [
    payerLine(first?.customer),
    ...items.map(({ name, value, amount }) => `${amount} x ${name}: R$ ${decimalOf(value)}`),
    `Total: R$ ${decimalOf(sumOf(parcels))} in ${parcels.length} parcels`,
    ...parcels.map(
      (parcel, index) => `${index + 1}: R$ ${decimalOf(totalOf(parcel))}, due ${parcel.payment.expire_at}`,
    ),
  ]
}

function coverPage(site: Site, carnet: Carnet, parcels: readonly Parcel[]): PageAnswer {
  const { page, coverPdf } = carnetLinks(site, carnet)
  const content = html`${watermarkFor(site)}${coverLinesOf(carnet, parcels).map((line) => html`<p>${line}</p>\n`)}
<p><a href="${page}">Parcels</a> <a href="${coverPdf}">PDF</a></p>`
  return { status: 200, title: titleOf(carnet), content }
}

function pageFor(site: Site, carnet: Carnet, parcels: readonly Parcel[]): PageAnswer {
  const { cover, pagePdf } = carnetLinks(site, carnet)
  const rows = parcels.map((parcel, index) => {
    const { status, payment } = parcel
    const printed = payment.printedAt === null ? '' : ', printed'
    const facts = `R$ ${decimalOf(totalOf(parcel))}, due ${payment.expire_at}, ${status}${printed}`
    return html`<li value="${index + 1}"><a href="${billetLink(site, payment)}">${facts}</a></li>\n`
  })
  const content = html`${watermarkFor(site)}<p>Status: ${carnet.status}</p>
<ol>
${rows}</ol>
<p><a href="${cover}">Cover</a> <a href="${pagePdf}">PDF</a></p>
<form method="post"><button>Print</button></form>`
  return { status: 200, title: titleOf(carnet), content }
}

function watermarkFor(site: Site): Html | null {
  const watermark = watermarkOf(site)
  return watermark === null ? null : html`<p><strong>${watermark}</strong></p>\n`
}
