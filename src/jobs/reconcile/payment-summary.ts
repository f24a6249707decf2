import { dayBehind, daysOf } from '../../domain/reconcile/service-day.ts'
import { newSubject } from '../../domain/reconcile/subjects.ts'
import { askForSubject, askOnce, isOver, type Pass } from './pass.ts'

/** Of one question (Document 1, endpoint 12; service-decisions.md, summary period). */
const MOST_DAYS = 365

interface Period {
  readonly first: string
  readonly last: string
}

/**
 * Compares the payments that are known with the summary of the service. Failed payments are named, and asked for; what the service only counts stays
 * unknown, by the day of its request.
 */
export async function comparePayments(pass: Pass, kind: string): Promise<void> {
  const { first, last } = pass.days
  for (let from = first; from <= last && !isOver(pass); from = dayBehind(from, MOST_DAYS)) {
    const end = dayBehind(from, MOST_DAYS - 1)
    await comparePeriod(pass, kind, { first: from, last: end < last ? end : last })
  }
}

async function comparePeriod(pass: Pass, kind: string, period: Period): Promise<void> {
  const summary = await askForSummary(pass, period)
  if (summary === null) return
  await askForFailed(pass, kind, summary.failed)
  const counts = await countByDay(pass, kind, period)
  const unknown = await unknownOf(pass, { ...period, total: summary.total }, counts)
  pass.progress.unnamed += unknown.reduce((sum, one) => sum + one.unknown, 0)
  if (pass.isDryRun || unknown.length === 0) return
  await pass.store.keepUnknown(unknown.map((one) => ({ ...one, kind, environment: pass.environment })))
}

/** Failed payments that are not known as final. */
async function askForFailed(pass: Pass, kind: string, ids: readonly string[]): Promise<void> {
  const { store, environment, now } = pass
  for (const subject of ids) {
    if (isOver(pass)) return
    const known = await store.getKnownSubject({ kind, environment, subject })
    if (known === null || (known.nextAskAt !== null && known.askedAt === null))
      await askForSubject(pass, known ?? newSubject({ kind, environment, subject, type: 'payment' }, now()))
  }
}

async function countByDay({ store, environment }: Pass, kind: string, { first, last }: Period) {
  const rows = await store.countPayments(kind, environment, first, last)
  return new Map(rows.map(({ day, count }) => [day, count]))
}

/** Halves a period whose count differs, until the days are found. Empty: a question was not answered. */
async function unknownOf(
  pass: Pass,
  { first, last, total }: Period & { readonly total: number },
  counts: ReadonlyMap<string, number>,
): Promise<{ day: string; unknown: number }[]> {
  const days = Array.from({ length: daysOf(first, last) }, (_, index) => dayBehind(first, index))
  const known = days.reduce((sum, day) => sum + (counts.get(day) ?? 0), 0)
  if (total === known) return days.map((day) => ({ day, unknown: 0 }))
  if (days.length === 1) return [{ day: first, unknown: Math.max(0, total - known) }]
  const middle = days[Math.floor((days.length - 1) / 2)] as string
  const summary = await askForSummary(pass, { first, last: middle })
  if (summary === null) return []
  const before = await unknownOf(pass, { first, last: middle, total: summary.total }, counts)
  const behind = await unknownOf(pass, { first: dayBehind(middle, 1), last, total: total - summary.total }, counts)
  return [...before, ...behind]
}

function askForSummary(pass: Pass, { first, last }: Period) {
  const { questions, environment, signal } = pass
  return askOnce(pass, 'payment', () => questions.summary(environment, first, last, signal))
}
