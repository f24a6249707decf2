import { z } from 'zod'
import { totalOf } from '../charges/amounts.ts'
import { billetOf, billetSchema, status } from '../charges/answers.ts'
import { localDateTime, localTime } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { Carnet } from './carnet.ts'
import { type Parcel, parcelsOf, sumOf } from './carnets.ts'
import { carnetLinks } from './pages.ts'

const { barcode, pdf, expire_at, configurations, pix } = billetSchema.shape

const parcelFacts = {
  charge_id: z.int(),
  status,
  value: z.int(),
  url: z.url(),
  parcel_link: z.url(),
  barcode,
  pdf,
  expire_at,
  configurations,
  pix,
}

const carnetFacts = {
  carnet_id: z.int(),
  status: z.enum(['up_to_date', 'unpaid', 'finished']),
  cover: z.url(),
  link: z.url(),
  carnet_link: z.url(),
  pdf: z.object({ carnet: z.url(), cover: z.url() }),
}

/** The answer of `POST /v1/carnet`. Clients expect the number of a parcel as a text here, and as a number in the record. */
export const createdSchema = z.object({
  ...carnetFacts,
  charges: z.array(z.object({ ...parcelFacts, parcel: z.string() })),
})

export function createdView(site: Site, carnet: Carnet) {
  const parcels = parcelsOf(site, carnet)
  return {
    ...factsOf(site, carnet),
    charges: parcels.map((parcel, index) => ({ ...parcelOf(site, parcel), parcel: String(index + 1) })),
  }
}

/** The answer of `GET /v1/carnet/:id`. */
export const carnetSchema = z.object({
  ...carnetFacts,
  repeats: z.int(),
  value: z.int().describe('Sum of all parcels'),
  custom_id: z.string().nullable(),
  notification_url: z.string().nullable(),
  split_items: z.boolean(),
  charges: z.array(z.object({ ...parcelFacts, parcel: z.int() })),
  created_at: localTime,
  history: z.array(z.object({ message: z.string(), created_at: localTime })),
})

export function carnetView(site: Site, carnet: Carnet) {
  const { timeZone } = site.settings
  const parcels = parcelsOf(site, carnet)
  return {
    ...factsOf(site, carnet),
    repeats: parcels.length,
    value: sumOf(parcels),
    split_items: carnet.isSplit,
    custom_id: carnet.customId,
    notification_url: carnet.notificationUrl,
    charges: parcels.map((parcel, index) => ({ ...parcelOf(site, parcel), parcel: index + 1 })),
    created_at: localDateTime(carnet.createdAt, timeZone),
    history: carnet.history.map(({ message, at }) => ({ message, created_at: localDateTime(at, timeZone) })),
  }
}

function factsOf(site: Site, carnet: Carnet) {
  const { page, cover, pagePdf, coverPdf } = carnetLinks(site, carnet)
  return {
    carnet_id: carnet.id,
    status: carnet.status,
    cover,
    link: page,
    carnet_link: page,
    pdf: { carnet: pagePdf, cover: coverPdf },
  }
}

function parcelOf(site: Site, parcel: Parcel) {
  const { link, billet_link, ...billet } = billetOf(site, parcel.payment)
  const { id, status } = parcel
  return { charge_id: id, status, value: totalOf(parcel), url: link, parcel_link: link, ...billet }
}
