import type { Charge } from '../charges/charge.ts'
import { notify } from '../notifications/notify.ts'
import type { Site } from '../site.ts'
import type { Carnet, CarnetStatus } from './carnet.ts'

const MESSAGES: Readonly<Record<CarnetStatus, string>> = {
  up_to_date: 'Carnê em dia',
  unpaid: 'Carnê com parcela vencida',
  finished: 'Carnê finalizado',
}

/** The status that follows from the parcels: a payment or a cancellation finishes a parcel, a passed due date makes it unpaid. */
export function carnetStatusOf(parcels: readonly Pick<Charge, 'status'>[]): CarnetStatus {
  if (parcels.every(({ status }) => status === 'paid' || status === 'canceled')) return 'finished'
  return parcels.some(({ status }) => status === 'unpaid') ? 'unpaid' : 'up_to_date'
}

/**
 * Gives a carnet the status that follows from its parcels. A change is in its history and is notified.
 * @param findCharge finds a parcel as it is now
 */
export function updateCarnetStatus(site: Site, id: number, findCharge: (id: number) => Charge | undefined): void {
  const carnet = carnetsOf(site).get(id)
  if (carnet === undefined) return
  const status = carnetStatusOf(carnet.chargeIds.flatMap((chargeId) => findCharge(chargeId) ?? []))
  if (status === carnet.status) return
  const history = [...carnet.history, { message: MESSAGES[status], at: site.clock.now() }]
  const changed = { ...carnet, status, history }
  carnetsOf(site).put(id, changed)
  notifyOfCarnet(site, changed, carnet.status)
}

export function notifyOfCarnet(site: Site, carnet: Carnet, previous: CarnetStatus | null): void {
  const { id, notificationToken: token, account, clientId, notificationUrl: url, customId, status } = carnet
  const about = { type: 'carnet', identifiers: { carnet_id: id } } as const
  notify(site, { token, account, clientId, url }, { ...about, customId, status: { current: status, previous } })
}

export function carnetsOf(site: Site) {
  return site.collection<Carnet>('carnets')
}
