import { z } from 'zod'
import { totalOf } from '../charges/amounts.ts'
import { chargeOutlook } from '../charges/charge-outlook.ts'
import { isoOf, outlookMembers, outlookView } from '../control-api/outlook.ts'
import { notificationOutlook, notificationsMember } from '../notifications/outlook.ts'
import type { Site } from '../site.ts'
import type { Carnet } from './carnet.ts'
import { parcelsOf, sumOf } from './carnets.ts'
import { carnetLinks } from './pages.ts'

export const carnetState = z.object({
  carnet_id: z.int(),
  account: z.string(),
  status: z.string(),
  value: z.int().describe('Cents of all parcels'),
  custom_id: z.string().nullable(),
  charges: z.array(z.int()),
})

/** A carnet in a list of the control API. */
export function carnetStateOf(site: Site, carnet: Carnet): z.output<typeof carnetState> {
  const { id, account, status, customId, chargeIds } = carnet
  const value = sumOf(parcelsOf(site, carnet))
  return { carnet_id: id, account, status, value, custom_id: customId, charges: [...chargeIds] }
}

export const carnetRecord = carnetState.extend({
  created_at: z.iso.datetime(),
  split_items: z.boolean(),
  page: z.url(),
  pdf: z.url(),
  charges: z.array(
    z.object({ charge_id: z.int(), parcel: z.int(), status: z.string(), total: z.int(), expire_at: z.string() }),
  ),
  notifications: notificationsMember.describe('Those of its parcels are counted too'),
  ...outlookMembers,
})

/** All that is known of a carnet and its parcels, and what comes next. */
export function carnetRecordOf(site: Site, carnet: Carnet): z.input<typeof carnetRecord> {
  const parcels = parcelsOf(site, carnet)
  const { page, pagePdf } = carnetLinks(site, carnet)
  const { notifications, ...others } = notificationOutlook(site, {
    ...carnet,
    isAbout: () => true,
    metadata: 'metadata of POST /v1/carnet',
  })
  const history = carnet.history.map(({ message, at }) => ({ at, what: `"${message}"` }))
  const next = parcels.flatMap((parcel) => chargeOutlook(site, parcel).next)
  return {
    ...carnetStateOf(site, carnet),
    created_at: isoOf(carnet.createdAt),
    split_items: carnet.isSplit,
    page,
    pdf: pagePdf,
    charges: parcels.map((parcel, index) => ({
      charge_id: parcel.id,
      parcel: index + 1,
      status: parcel.status,
      total: totalOf(parcel),
      expire_at: parcel.payment.expire_at,
    })),
    notifications,
    ...outlookView(site, { history, next }, others),
  }
}
