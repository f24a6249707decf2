import type { AskSchedule, SubjectAnswer, ToldState } from '../../domain/reconcile/answers.ts'
import type { ExpectedSubject, SeenSubject } from '../../domain/reconcile/reconcile-store.ts'
import {
  isFinalStatus,
  type KnownSubject,
  lastStatus,
  newSubject,
  type SubjectKey,
} from '../../domain/reconcile/subjects.ts'

/** Distinct statuses of a subject that are kept; more are no life of a payment or a charge. */
const MOST_STATUSES = 32
const DAY_MS = 86_400_000
/** Between two questions about a subject that does not change. */
const LONGEST_WAIT_MS = 7 * DAY_MS

/** A subject after one of its events. */
export function subjectSeen(row: KnownSubject | undefined, seen: SeenSubject): KnownSubject {
  const { kind, environment, subject, type, status, token, day, receivedAt } = seen
  const known = row ?? newSubject({ kind, environment, subject, type }, receivedAt)
  const isNews = status !== null && !known.statuses.includes(status)
  const next = {
    ...known,
    // What an app has said it expects may be of another type than events tell.
    type,
    statuses: withStatus(known.statuses, status),
    token: token ?? known.token,
    day: day ?? known.day,
    firstAt: Math.min(known.firstAt, receivedAt),
    eventAt: Math.min(known.eventAt ?? receivedAt, receivedAt),
    ...(isNews && { asks: 0, gap: null }),
  }
  return { ...next, nextAskAt: nextAskOf(next, isNews ? (known.nextAskAt ?? 0) : known.nextAskAt) }
}

/** A subject that an app expects. The same again changes nothing. */
export function subjectExpected(row: KnownSubject | undefined, expected: ExpectedSubject, now: number): KnownSubject {
  const known = row ?? newSubject(expected, now)
  return known.expectedAt === null ? { ...known, expectedAt: now } : known
}

/** A subject after one of its states became an event, or was known already. */
export function subjectTold(
  row: KnownSubject | undefined,
  key: Omit<SubjectKey, 'subject'>,
  told: ToldState,
  at: number,
): KnownSubject {
  const { subject, type, status, day, token } = told
  return subjectSeen(row, { ...key, subject, type, status, day, token, receivedAt: row?.eventAt ?? at })
}

/** A subject after a question about it. @param isNews the answer told a state that was not known */
export function subjectAsked(
  row: KnownSubject,
  { at, lack, schedule }: Pick<SubjectAnswer, 'at' | 'lack' | 'schedule'>,
  isNews: boolean,
): KnownSubject {
  const asks = isNews ? 0 : row.asks + 1
  const asked = { ...row, askedAt: at, asks }
  if (isGivenUp(row, { at, lack, schedule })) return { ...asked, nextAskAt: null, gap: lack }
  return {
    ...asked,
    gap: lack === 'undecided' ? lack : null,
    nextAskAt: nextAskOf(asked, at + waitOf(asked, schedule)),
  }
}

/** What the service knows is asked for until it is final: a payment may be scheduled for months later. */
function isGivenUp(
  row: KnownSubject,
  { at, lack, schedule }: Pick<SubjectAnswer, 'at' | 'lack' | 'schedule'>,
): boolean {
  const isOver = lack === 'unknown' || (lack === null && lastStatus(row) === 'canceled')
  return isOver && at - row.firstAt >= schedule.giveUpAfterMs
}

/** A payment changes within days, so it is asked for each time. */
function waitOf({ type, asks }: KnownSubject, { everyMs }: AskSchedule): number {
  if (type === 'payment') return everyMs
  return Math.min(everyMs * 2 ** Math.min(Math.max(0, asks - 1), 20), Math.max(everyMs, LONGEST_WAIT_MS))
}

function nextAskOf(row: Pick<KnownSubject, 'type' | 'statuses'>, nextAskAt: number | null): number | null {
  return isFinalStatus(row.type, lastStatus(row)) ? null : nextAskAt
}

function withStatus(statuses: readonly string[], status: string | null): readonly string[] {
  if (status === null || statuses.includes(status) || statuses.length >= MOST_STATUSES) return statuses
  return [...statuses, status]
}
