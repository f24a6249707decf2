import { randomUUID } from 'node:crypto'
import { updateCarnetStatus } from '../carnets/carnet-status.ts'
import { chargeProblem } from '../http/service-error.ts'
import type { EntryType, Identifiers } from '../notifications/notification-log.ts'
import { notify } from '../notifications/notify.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { Charge, ChargeStatus } from './charge.ts'

const FIRST_ID = 1_000_001

/** What a new charge is made of. `notificationToken`: that of its subscription or carnet; left out: one of its own. */
export type ChargeParts = Pick<
  Charge,
  'account' | 'clientId' | 'belongsTo' | 'items' | 'shippings' | 'customId' | 'notificationUrl'
> & { readonly notificationToken?: string }

export function createCharge(site: Site, parts: ChargeParts): Charge {
  return site.records.transaction(() => {
    const at = site.clock.now()
    const charge: Charge = {
      id: site.records.nextNumber(`${site.environment}.charges`, FIRST_ID),
      notificationToken: randomUUID(),
      ...parts,
      status: 'new',
      createdAt: at,
      history: [{ message: 'Cobrança criada', at }],
      conditionalDiscount: null,
      customer: null,
      link: null,
      payment: null,
      received: null,
    }
    put(site, charge)
    notifyOf(site, charge, null)
    return charge
  })
}

export function findCharge(site: Site, id: string | number): Charge | undefined {
  return site.collection<Charge>('charges').get(id)
}

export function listCharges(site: Site): readonly Charge[] {
  return site.collection<Charge>('charges').list()
}

/** @throws ServiceError 404 for another account's too */
export function requireCharge(site: Site, account: string, id: string | undefined): Charge {
  const charge = findCharge(site, id ?? '')
  if (charge?.account !== account) throw chargeProblem(404, 'not_found', 'A cobrança não existe.')
  return charge
}

/** Writes a charge whose status stays the same. */
export function changeCharge(site: Site, charge: Charge, changes: Partial<Omit<Charge, 'id' | 'status'>>): Charge {
  const changed = { ...charge, ...changes }
  put(site, changed)
  return changed
}

/** Gives a charge another status, which the history and a notification tell. The status of its carnet follows. */
export function changeStatus(
  site: Site,
  charge: Charge,
  { status, message, ...changes }: Partial<Omit<Charge, 'id'>> & { status: ChargeStatus; message: string },
): Charge {
  return site.records.transaction(() => {
    const history = [...charge.history, { message, at: site.clock.now() }]
    const changed = { ...charge, ...changes, status, history }
    put(site, changed)
    notifyOf(site, changed, charge.status)
    if (changed.belongsTo?.kind === 'carnet')
      updateCarnetStatus(site, changed.belongsTo.id, (id) => findCharge(site, id))
    return changed
  })
}

/** The day at the service. */
export function todayOf(site: Site): CalendarDate {
  return localDate(site.clock.now(), site.settings.timeZone)
}

function put(site: Site, charge: Charge): void {
  site.collection<Charge>('charges').put(charge.id, charge)
}

function notifyOf(site: Site, charge: Charge, previous: ChargeStatus | null): void {
  const { notificationToken: token, account, clientId, notificationUrl: url, customId, status, received } = charge
  notify(
    site,
    { token, account, clientId, url },
    {
      ...subjectOf(charge),
      customId,
      status: { current: status, previous },
      ...(status === 'paid' && received !== null && { valueCents: received.cents, receivedByBankAt: received.paidOn }),
    },
  )
}

function subjectOf({ id, belongsTo }: Charge): { type: EntryType; identifiers: Identifiers } {
  if (belongsTo === null) return { type: 'charge', identifiers: { charge_id: id } }
  const owner = belongsTo.kind === 'subscription' ? { subscription_id: belongsTo.id } : { carnet_id: belongsTo.id }
  return { type: `${belongsTo.kind}_charge`, identifiers: { charge_id: id, ...owner } }
}
