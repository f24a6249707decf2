import type { EventFilter, EventWithBody } from '../../domain/event-record.ts'
import { partsOf } from '../../domain/realm.ts'
import { dayBehind, serviceDay, startOfServiceDay } from '../../domain/reconcile/service-day.ts'
import { askOnce, isOver, type Pass } from './pass.ts'

/** Of a run since an earlier day: the service takes half a minute for each statement. */
const MOST_DAYS = 31
const PAGE = 500

/**
 * Compares the instant payments of whole days with the account's statement, which counts them and names no id that callbacks have.
 * @param compared the last day that was compared before; null: none. @returns the last day that is compared now
 */
export async function compareStatements(pass: Pass, kind: string, compared: string | null): Promise<string | null> {
  const { questions, environment, signal, store, isDryRun, progress } = pass
  const yesterday = dayBehind(serviceDay(pass.now()), -1)
  let last = compared
  for (const day of daysToCompare(pass, yesterday, compared)) {
    if (isOver(pass)) return last
    const counted = await askOnce(pass, null, () => questions.received(environment, day, signal))
    if (counted === null) return last
    const unknown = Math.max(0, counted - (await countPayments(pass, kind, day)))
    progress.unnamed += unknown
    if (!isDryRun) await store.keepUnknown([{ kind, environment, day, unknown }])
    last = day
  }
  return last
}

/** By schedule each day once, beginning with yesterday. */
function daysToCompare({ dueBy, days: { first } }: Pass, yesterday: string, compared: string | null): string[] {
  const earliest = dayBehind(yesterday, 1 - MOST_DAYS)
  const next = compared === null ? yesterday : dayBehind(compared, 1)
  const wanted = dueBy === null ? first : next
  const days: string[] = []
  for (let day = wanted < earliest ? earliest : wanted; day <= yesterday; day = dayBehind(day, 1)) days.push(day)
  return days
}

/**
 * Payments that a day's events told first, by their id: an institution repeats a payment for each of its refunds, also on a later day, and counting
 * events would hide a payment that never came.
 */
async function countPayments(pass: Pass, kind: string, day: string): Promise<number> {
  const from = startOfServiceDay(day)
  const told = new Map<string, EventWithBody>()
  const range = { receivedFrom: from, receivedTo: startOfServiceDay(dayBehind(day, 1)) }
  for await (const event of eventsOf(pass, kind, range)) told.set(paymentIdOf(event), event)
  let count = 0
  for (const [id, event] of told) if (!(await wasToldBefore(pass, { kind, id, event, from }))) count++
  return count
}

interface Told {
  readonly kind: string
  readonly id: string
  readonly event: EventWithBody
  readonly from: number
}

async function wasToldBefore(pass: Pass, { kind, id, event: { subject }, from }: Told): Promise<boolean> {
  if (subject === null) return false
  for await (const earlier of eventsOf(pass, kind, { subject, receivedTo: from }))
    if (paymentIdOf(earlier) === id) return true
  return false
}

async function* eventsOf(
  { store, environment: realm, signal }: Pass,
  kind: string,
  range: Pick<EventFilter, 'subject' | 'receivedFrom' | 'receivedTo'>,
): AsyncGenerator<EventWithBody> {
  const { institution, environment } = partsOf(realm)
  const filter = { kinds: [kind], environment, ...(institution !== null && { institution }), ...range }
  for (let after = 0; ; ) {
    const page = await store.listEvents({ ...filter, after }, PAGE)
    yield* page.events.filter((event) => event.environment === realm)
    if (!page.more || signal.aborted) return
    after = page.next
  }
}

/** The subject may be the id of a charge that is paid several times. */
function paymentIdOf({ id, subject, body }: EventWithBody): string {
  return endToEndIdIn(body) ?? subject ?? id
}

function endToEndIdIn(body: Uint8Array): string | null {
  let found: string | null = null
  try {
    JSON.parse(Buffer.from(body).toString(), (key, value) => {
      if (key === 'endToEndId' && typeof value === 'string' && value !== '') found ??= value
      return value
    })
  } catch {
    // No JSON, or its data was removed: the event has its subject nevertheless.
  }
  return found
}
