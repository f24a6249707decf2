import { addMonths, type CalendarDate } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'

export type EntryType = 'charge' | 'subscription' | 'subscription_charge' | 'carnet' | 'carnet_charge'

/** The ids of what an entry is about. A charge of a subscription or a carnet has both. */
export interface Identifiers {
  readonly charge_id?: number
  readonly subscription_id?: number
  readonly carnet_id?: number
}

/** One change of a status. */
export interface NotificationEntry {
  /** Rises from 1 within its token. */
  readonly id: number
  readonly type: EntryType
  readonly identifiers: Identifiers
  /** The integrator's id at that time. */
  readonly customId: string | null
  readonly status: { readonly current: string; readonly previous: string | null }
  /** Simulated time, in ms since 1970; of a payment, when it was confirmed. */
  readonly createdAt: number
  /** Only with `paid`: amount in cents. */
  readonly valueCents?: number
  /** Only with `paid`: the day on which the payment was made. */
  readonly receivedByBankAt?: CalendarDate
}

/** All entries of one token. They only grow. */
export interface NotificationLog {
  readonly token: string
  readonly account: string
  readonly entries: readonly NotificationEntry[]
}

/** The entries of a token are records of their own: a log that is written whole costs more with each entry. */
type KeptLog = Omit<NotificationLog, 'entries'> & { readonly count: number }

export function findLog(site: Site, token: string): NotificationLog | undefined {
  const kept = logsOf(site).get(token)
  if (kept === undefined) return undefined
  const { account, count } = kept
  const entries = Array.from({ length: count }, (_, index) => entriesOf(site).get(keyOf(token, index + 1)))
  return { token, account, entries: entries.filter((entry) => entry !== undefined) }
}

/** The caller's transaction has both records. */
export function addEntry(
  site: Site,
  { token, account }: Omit<NotificationLog, 'entries'>,
  entry: Omit<NotificationEntry, 'id' | 'createdAt'>,
): NotificationEntry {
  const id = (logsOf(site).get(token)?.count ?? 0) + 1
  const added = { id, ...entry, createdAt: site.clock.now() }
  logsOf(site).put(token, { token, account, count: id })
  entriesOf(site).put(keyOf(token, id), added)
  return added
}

function logsOf(site: Site) {
  return site.collection<KeptLog>('notifications')
}

function entriesOf(site: Site) {
  return site.collection<NotificationEntry>('notification-entries')
}

function keyOf(token: string, id: number): string {
  return `${token} ${id}`
}

/** For so many months entries can be asked for. */
const KEPT_MONTHS = 6

/** The entries that can still be asked for, oldest first. */
export function keptEntries({ entries }: NotificationLog, at: number, timeZone: string): readonly NotificationEntry[] {
  const first = addMonths(localDate(at, timeZone), -KEPT_MONTHS)
  return entries.filter(({ createdAt }) => localDate(createdAt, timeZone) >= first)
}
