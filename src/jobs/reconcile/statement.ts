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
    const unknown = Math.max(0, counted - (await countEvents(pass, kind, day)))
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

async function countEvents({ store, environment: realm, signal }: Pass, kind: string, day: string): Promise<number> {
  const { institution, environment } = partsOf(realm)
  const filter = {
    kinds: [kind],
    environment,
    ...(institution !== null && { institution }),
    receivedFrom: startOfServiceDay(day),
    receivedTo: startOfServiceDay(dayBehind(day, 1)),
  }
  let count = 0
  for (let after = 0; ; ) {
    const page = await store.listEvents({ ...filter, after }, PAGE)
    count += page.events.filter((event) => event.environment === realm).length
    if (!page.more || signal.aborted) return count
    after = page.next
  }
}
