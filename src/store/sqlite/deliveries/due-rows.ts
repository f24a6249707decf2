import type { ClaimRequest } from '../../../domain/delivery.ts'
import { leftOf, placesOfBacklog } from '../../rules/deliveries.ts'
import type { ClaimStatements, DueRange, DueRow } from './claim-statements.ts'

function dueBetween(statements: ClaimStatements, range: DueRange): DueRow[] {
  const due = statements.due.all(range)
  const expired = statements.expired.all(range)
  if (expired.length === 0) return due
  return [...due, ...expired].sort((a, b) => a.next_attempt_at - b.next_attempt_at).slice(0, range.limit)
}

/** Fresh deliveries first, except for the backlog's reserved slots. Replays get the slots that the rest of the backlog leaves. */
export function dueRows(statements: ClaimStatements, request: ClaimRequest, freshSince: number): DueRow[] {
  const { destinationId, now, limit, isUntriedFirst = false } = request
  const untried = isUntriedFirst ? statements.untried.get({ destinationId, now }) : undefined
  if (untried !== undefined) return [untried]
  const fresh = dueBetween(statements, { destinationId, isReplay: 0, from: freshSince, to: now, limit })
  // SQLite treats a negative limit as none.
  const slots = placesOfBacklog(request, fresh.length)
  const before = Math.min(now, freshSince - 1)
  const backlog = dueBetween(statements, { destinationId, isReplay: 0, from: 0, to: before, limit: slots })
  if (backlog.length < slots)
    backlog.push(
      ...dueBetween(statements, { destinationId, isReplay: 1, from: 0, to: now, limit: slots - backlog.length }),
    )
  return [...fresh.slice(0, limit - backlog.length), ...backlog]
}

/** What this claim has left: when the next fresh delivery is due, and whether there is a backlog. */
export function leftBehind(statements: ClaimStatements, { destinationId, now }: ClaimRequest, freshSince: number) {
  const next = (isReplay: 0 | 1, from: number) => statements.nextDue.get({ destinationId, isReplay, from })?.at ?? null
  return leftOf({ fresh: next(0, freshSince), live: next(0, 0), replay: next(1, 0) }, now, freshSince)
}
