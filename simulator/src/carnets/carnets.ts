import { randomUUID } from 'node:crypto'
import { discountLaterBy, totalOf } from '../charges/amounts.ts'
import type { Item } from '../charges/charge.ts'
import { type ChargeParts, createCharge, findCharge } from '../charges/charges.ts'
import { newPageId } from '../charges/page-ids.ts'
import type { BilletCharge } from '../charges/pages/billet-lines.ts'
import { type BilletChoice, setBillet } from '../charges/payments.ts'
import { chargeProblem } from '../http/service-error.ts'
import { laterBy } from '../rules/calendar-date.ts'
import type { Site } from '../site.ts'
import type { Carnet } from './carnet.ts'
import { carnetsOf, notifyOfCarnet } from './carnet-status.ts'

const FIRST_ID = 500_001

/** A charge of a carnet: its billet is made together with it. */
export type Parcel = BilletCharge

export interface CarnetParts extends Omit<ChargeParts, 'belongsTo' | 'shippings'> {
  readonly repeats: number
  readonly isSplit: boolean
  /** Of the first parcel. */
  readonly choice: BilletChoice
}

/** Creates a carnet with all its parcels, each with its billet. */
export function createCarnet(site: Site, { repeats, isSplit, choice, items, ...parts }: CarnetParts): Carnet {
  return site.records.transaction(() => {
    const at = site.clock.now()
    const notificationToken = randomUUID()
    const id = site.records.nextNumber(`${site.environment}.carnets`, FIRST_ID)
    const carnet: Carnet = {
      id,
      ...parts,
      items,
      isSplit,
      notificationToken,
      status: 'up_to_date',
      createdAt: at,
      chargeIds: [],
      pageId: newPageId(id),
      history: [{ message: 'Carnê criado', at }],
    }
    notifyOfCarnet(site, carnet, null)
    const charges = Array.from({ length: repeats }, (_, index) => {
      const belongsTo = { kind: 'carnet', id: carnet.id, parcel: index + 1 } as const
      const ofParcel = isSplit ? shareOf(items, repeats, index) : items
      return createCharge(site, { ...parts, items: ofParcel, shippings: [], notificationToken, belongsTo })
    })
    const created = { ...carnet, chargeIds: charges.map(({ id }) => id) }
    // The status of a parcel decides on that of the carnet, which must know all of them by then.
    carnetsOf(site).put(carnet.id, created)
    for (const [index, charge] of charges.entries()) setBillet(site, charge, choiceLaterBy(choice, index))
    return created
  })
}

/** A parcel's share of each item. Cents that cannot be divided are in the first parcel. */
function shareOf(items: readonly Item[], repeats: number, index: number): Item[] {
  return items.map(({ name, value, amount }) => {
    const total = value * amount
    const share = Math.floor(total / repeats)
    return { name, value: index === 0 ? total - share * (repeats - 1) : share, amount: 1 }
  })
}

function choiceLaterBy({ expireAt, conditionalDiscount, ...choice }: BilletChoice, months: number): BilletChoice {
  return {
    ...choice,
    expireAt: laterBy(expireAt, months),
    conditionalDiscount: discountLaterBy(conditionalDiscount, months),
  }
}

export function findCarnet(site: Site, id: string | number): Carnet | undefined {
  return carnetsOf(site).get(id)
}

export function listCarnets(site: Site): readonly Carnet[] {
  return carnetsOf(site).list()
}

/** @throws ServiceError 404 for another account's too */
export function requireCarnet(site: Site, account: string, id: string | undefined): Carnet {
  const carnet = findCarnet(site, id ?? '')
  if (carnet?.account !== account) throw chargeProblem(404, 'not_found', 'O carnê não existe.')
  return carnet
}

/** In the order of their due dates. */
export function parcelsOf(site: Site, { chargeIds }: Carnet): readonly Parcel[] {
  return chargeIds.map((id) => {
    const charge = findCharge(site, id)
    if (charge?.payment?.method !== 'banking_billet') throw new Error('unreachable: a parcel has a billet')
    return { ...charge, payment: charge.payment }
  })
}

/** The sum of all parcels, in cents. */
export function sumOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, parcel) => sum + totalOf(parcel), 0)
}
