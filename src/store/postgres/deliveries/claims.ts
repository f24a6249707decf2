import {
  type AttemptOutcome,
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  type ReleasedClaim,
  slotsOfAll,
} from '../../../domain/delivery.ts'
import type { Destination } from '../../../domain/destination.ts'
import { bytesOfFact } from '../../../domain/event.ts'
import { FORWARDING_TEXTS, forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import { type ClaimRow, claimedDeliveryOf, type HeldDelivery } from '../../rows/claim-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import { freshSinceOf, leftOf, placesOfBacklog } from '../../rules/deliveries.ts'
import type { Sql } from '../database/sql.ts'
import { AUTHENTICATION, CONTENT_TYPE } from '../events/event-columns.ts'
import type { Transaction } from '../writing/transaction.ts'
import type { WriterParts } from '../writing/writer-parts.ts'
import { release } from './order-keys.ts'

/** The most bytes of bodies in one claim. A destination worker with more free slots claims again. */
const CLAIM_BYTES = 4 * 1024 * 1024

const CLAIMED = `
  select d.id as delivery_id, d.attempts, d.retries_used, d.next_attempt_at, d.claimed_by, d.order_key, d.created_at,
    d.replayed_at, d.replay_id, d.delivered_at,
    e.id as position, e.nonce, e.kind, e.environment, e.subject, e.status, e.received_at, e.part, e.parts,
    e.array_start, e.array_end, e.item_start, e.item_end, c.id as callback_id, ${AUTHENTICATION} as authentication,
    ${CONTENT_TYPE} as content_type, e.source,
    case when strpos(c.headers, '["cdn-loop",') > 0 then c.headers end as loop_headers
  from deliveries d join events e on e.id = d.event_id join callbacks c on c.id = e.callback_id`

const IS_DUE = `d.destination_id = :destinationId and d.state = 'pending' and (d.replay_id is not null) = :isReplay`

interface Lane {
  readonly destinationId: number
  readonly isReplay: boolean
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** Unclaimed ones, and those whose leases have ended: `next_attempt_at` is the end of the lease. */
function dueBetween(sql: Sql, lane: Lane): Promise<ClaimRow[]> {
  return sql.all<ClaimRow>(
    `${CLAIMED} where ${IS_DUE} and d.next_attempt_at between at_ms(:from) and at_ms(:to)
    order by d.next_attempt_at, d.id limit :limit`,
    { ...lane },
  )
}

/** The search for an untried delivery visits at most this many. */
const UNTRIED_LOOKED_AT = 1000

function findUntried(sql: Sql, { destinationId, now }: ClaimRequest): Promise<ClaimRow | undefined> {
  return sql.get<ClaimRow>(
    `${CLAIMED} where d.attempts = 0 and d.id in (
      select d.id from deliveries d where ${IS_DUE} and d.claimed_by is null and d.next_attempt_at <= at_ms(:now)
      order by d.next_attempt_at desc limit ${UNTRIED_LOOKED_AT})
    order by d.next_attempt_at desc limit 1`,
    { destinationId, now, isReplay: false },
  )
}

/** Replays get the places that the rest of the backlog leaves. */
async function dueRows(sql: Sql, request: ClaimRequest, freshSince: number): Promise<ClaimRow[]> {
  const { destinationId, now, limit, isUntriedFirst = false } = request
  const untried = isUntriedFirst ? await findUntried(sql, request) : undefined
  if (untried !== undefined) return [untried]
  const fresh = await dueBetween(sql, { destinationId, isReplay: false, from: freshSince, to: now, limit })
  const places = placesOfBacklog(request, fresh.length)
  const before = { destinationId, isReplay: false, from: 0, to: Math.min(now, freshSince - 1), limit: places }
  const backlog = places === 0 ? [] : await dueBetween(sql, before)
  const left = places - backlog.length
  if (left > 0)
    backlog.push(...(await dueBetween(sql, { destinationId, isReplay: true, from: 0, to: now, limit: left })))
  return [...fresh.slice(0, limit - backlog.length), ...backlog]
}

async function leftBehind(sql: Sql, { destinationId, now }: ClaimRequest, freshSince: number) {
  async function next(isReplay: boolean, from: number): Promise<number | null> {
    const row = await sql.get<{ at: number | null }>(
      `select min(d.next_attempt_at) as at from deliveries d where ${IS_DUE} and d.next_attempt_at >= at_ms(:from)`,
      { destinationId, isReplay, from },
    )
    return row?.at ?? null
  }
  const due = { fresh: await next(false, freshSince), live: await next(false, 0), replay: await next(true, 0) }
  return leftOf(due, now, freshSince)
}

/** As many as CLAIM_BYTES allows, but at least one. */
async function claimRows(
  sql: Sql,
  request: ClaimRequest,
  rows: readonly ClaimRow[],
  fence: number,
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = []
  let bytes = 0
  for (const row of rows) {
    if (bytes >= CLAIM_BYTES) break
    const body = await readBody(sql, row)
    claimed.push(claimedDeliveryOf(row, request, body, await isReplay(sql, request.destinationId, row)))
    bytes += body.length
  }
  const taken = rows.slice(0, claimed.length)
  await loseAttempts(
    sql,
    taken.filter((row) => row.claimed_by !== null).map((row) => row.delivery_id),
    request.now,
  )
  // Never before a retry, even if the clock is set back: a retry later than the claim was requested during the attempt.
  await sql.run(
    `update deliveries set claimed_by = :fence, claimed_at = greatest(at_ms(:now), replayed_at), attempts = attempts + 1,
      next_attempt_at = at_ms(:leaseUntil) where id = any(:ids::bigint[])`,
    {
      ids: taken.map((row) => row.delivery_id),
      fence,
      now: request.now,
      leaseUntil: request.leaseUntil,
    },
  )
  return claimed
}

async function readBody(sql: Sql, row: ClaimRow): Promise<Uint8Array> {
  const found = await sql.get<{ body: Buffer }>(
    'select coalesce(e.body, c.body) as body from events e join callbacks c on c.id = e.callback_id where e.id = :position',
    { position: row.position },
  )
  return bytesOfFact((found as { body: Buffer }).body, spanOfRow(row))
}

/** Whether the destination received this event before, or a later one with its order key. */
async function isReplay(sql: Sql, destinationId: number, row: ClaimRow): Promise<boolean> {
  if (row.replayed_at === null) return false
  if (row.delivered_at !== null) return true
  if (row.order_key === null) return false
  const later = await sql.get(
    'select 1 from deliveries where destination_id = :destinationId and delivered_key = :orderKey and event_id > :position limit 1',
    { destinationId, orderKey: row.order_key, position: row.position },
  )
  return later !== undefined
}

async function loseAttempts(sql: Sql, ids: readonly number[], now: number): Promise<void> {
  if (ids.length === 0) return
  await sql.run(
    `insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
    select id, attempts, claimed_at, greatest(0, :now - extract(epoch from claimed_at) * 1000), :error from deliveries where id = any(:ids::bigint[])`,
    { ids, now, error: forwardingText('interrupted_unrecorded') },
  )
}

/** Another node sends to the destination, or none yet. */
const NOT_HELD: Claim = { deliveries: [], nextDueAt: null, hasBacklog: false, isHeldDue: false }

export async function claimDeliveries(
  { handOver }: WriterParts,
  { sql, ...transaction }: Transaction,
  request: ClaimRequest,
): Promise<Claim> {
  const { now, leaseUntil, held = [], slots } = request
  const freshSince = freshSinceOf(request)
  const fence = (await transaction.fences()).get(request.destinationId)
  if (fence === undefined) return NOT_HELD
  const renewed = await sql.run(
    `update deliveries set next_attempt_at = at_ms(:leaseUntil)
    where id = any(:held::bigint[]) and claimed_by = :fence and state = 'pending' and next_attempt_at <= at_ms(:now)`,
    { held, fence, now, leaseUntil },
  )
  const rows = await dueRows(sql, request, freshSince)
  const deliveries = await claimRows(sql, request, rows, fence)
  const left = await leftBehind(sql, request, freshSince)
  const isAll = rows.length < request.limit && deliveries.length === rows.length && !left.hasBacklog
  if (slots !== undefined) handOver.offered([slots])
  handOver.claimed(request.destinationId, slotsOfAll(deliveries), isAll)
  return { deliveries, ...left, isHeldDue: renewed > 0 }
}

export async function recordAttempts(
  { firstWaitMs }: WriterParts,
  { sql, ...transaction }: Transaction,
  outcomes: readonly AttemptOutcome[],
): Promise<number> {
  const fences = await transaction.fences()
  const destinations = await transaction.destinations()
  let recorded = 0
  for (const outcome of outcomes) {
    const { deliveryId: id, attempt, startedAt, durationMs, status, error } = outcome
    const row = await sql.get<HeldDelivery>(
      `select claimed_by, attempts, state, destination_id, order_key, coalesce(replayed_at > claimed_at, false) as is_restarted,
        (select payload_removed_at is not null from events where id = event_id) as is_redacted
      from deliveries where id = :id for update`,
      { id },
    )
    if (row === undefined || row.attempts !== attempt || row.claimed_by !== fences.get(row.destination_id)) continue
    recorded++
    await sql.run(
      `insert into attempts (delivery_id, attempt, started_at, duration_ms, status, error, answer)
      values (:id, :attempt, at_ms(:startedAt), :durationMs, :status, :error, :answer)`,
      { id, attempt, startedAt, durationMs, status, error, answer: row.is_redacted === true ? null : outcome.answer },
    )
    const isDecided = row.state !== 'pending' || row.is_restarted === true
    if (isDecided && outcome.result.state !== 'delivered') await settle(sql, outcome)
    else await finish(sql, outcome, { row, destinations, firstWaitMs })
  }
  return recorded
}

/** An operator skipped or retried it during the attempt: a failure changes nothing, and a retried delivery is due. */
async function settle(sql: Sql, { deliveryId: id, status, error }: AttemptOutcome): Promise<void> {
  await sql.run(
    `update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then replayed_at end,
      last_status = :status, last_error = :error where id = :id`,
    { id, status, error },
  )
}

interface FinishParts {
  readonly row: HeldDelivery
  readonly destinations: readonly Destination[]
  readonly firstWaitMs: number
}

async function finish(
  sql: Sql,
  { result, ...outcome }: AttemptOutcome,
  { row, destinations, firstWaitMs }: FinishParts,
): Promise<void> {
  const { deliveryId: id, status, error } = outcome
  const endedAt = outcome.startedAt + outcome.durationMs
  if (result.state === 'delivered')
    await sql.run(
      `update deliveries set state = 'delivered', claimed_by = null, claimed_at = null, retries_used = retries_used + 1, next_attempt_at = null,
        ended_at = at_ms(:endedAt), reason = null, last_status = :status, last_error = null, delivered_at = at_ms(:endedAt), delivered_key = order_key
      where id = :id`,
      { id, endedAt, status },
    )
  else
    await sql.run(
      `update deliveries set state = :state, claimed_by = null, claimed_at = null, retries_used = coalesce(:retriesUsed, retries_used + 1),
        next_attempt_at = at_ms(:nextAttemptAt), ended_at = at_ms(:endedAt), reason = :reason, last_status = :status, last_error = :error
      where id = :id`,
      {
        id,
        state: result.state,
        retriesUsed: result.state === 'pending' ? result.retriesUsed : null,
        nextAttemptAt: result.state === 'pending' ? result.at : null,
        endedAt: result.state === 'pending' ? null : endedAt,
        reason: result.state === 'exhausted' ? result.reason : null,
        status,
        error,
      },
    )
  if (row.order_key === null || result.state === 'pending') return
  const destination = destinations.find((one) => one.id === row.destination_id)
  if (result.state === 'exhausted' && destination?.onExhausted === 'hold') return
  const delivery = { id, destinationId: row.destination_id, orderKey: row.order_key, isHead: row.state === 'pending' }
  await release(sql, delivery, { now: endedAt, firstWaitMs })
}

/** A delivery that was delivered before its replay, which was canceled while the delivery was claimed. */
const IS_RESTORED = `state = 'canceled' and delivered_at is not null and reason = '${FORWARDING_TEXTS.replay_canceled}'`

export async function releaseClaims(
  { node }: WriterParts,
  { sql }: Transaction,
  claims: readonly ReleasedClaim[],
): Promise<void> {
  for (const { deliveryId: id, attempt, dueAt } of claims)
    await sql.run(
      `update deliveries set claimed_by = null, claimed_at = null, attempts = attempts - 1,
        next_attempt_at = case state when 'pending' then at_ms(:dueAt) end,
        state = case when ${IS_RESTORED} then 'delivered' else state end, reason = case when ${IS_RESTORED} then null else reason end,
        ended_at = case when ${IS_RESTORED} then delivered_at else ended_at end
      where id = :id and attempts = :attempt
        and claimed_by = (select fence from leases l where l.destination_id = deliveries.destination_id and l.node = :node)`,
      { id, attempt, dueAt, node: node.id },
    )
}

/** The deliveries are due now, and their attempts are recorded as interrupted. */
export async function voidClaims(sql: Sql, destinationIds: readonly number[], now: number): Promise<void> {
  const claimed = 'destination_id = any(:destinationIds::bigint[]) and claimed_by is not null'
  await sql.run(
    `insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
    select id, attempts, claimed_at, greatest(0, :now - extract(epoch from claimed_at) * 1000), :error from deliveries where ${claimed}`,
    { destinationIds, now, error: forwardingText('interrupted_by_end') },
  )
  await sql.run(
    `update deliveries set claimed_by = null, claimed_at = null, next_attempt_at = case state when 'pending' then at_ms(:now) end where ${claimed}`,
    { destinationIds, now },
  )
}
