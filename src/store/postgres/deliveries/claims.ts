import {
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  type ReleasedClaim,
  slotsOfAll,
} from '../../../domain/delivery.ts'
import { bytesOfFact } from '../../../domain/event.ts'
import { FORWARDING_TEXTS, forwardingText } from '../../../domain/forwarding/forwarding-texts.ts'
import { type ClaimRow, claimedDeliveryOf } from '../../rows/claim-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import { freshSinceOf, leftOf, type NextDue, placesOfBacklog } from '../../rules/deliveries.ts'
import type { Sql } from '../database/sql.ts'
import { AUTHENTICATION, CONTENT_TYPE } from '../events/event-columns.ts'
import type { Transaction } from '../writing/transaction.ts'
import type { WriterParts } from '../writing/writer-parts.ts'

/** The most bytes of bodies in one claim. A destination worker with more free slots claims again. */
const CLAIM_BYTES = 4 * 1024 * 1024
/** The most bytes that a claim reads for them: of a callback with many events it needs a part for each. */
const READ_BYTES = 4 * CLAIM_BYTES

const CLAIMED = `
  select d.id as delivery_id, d.attempts, d.retries_used, d.next_attempt_at, d.claimed_by, d.order_key, d.created_at,
    d.replayed_at, d.replay_id, d.delivered_at,
    e.id as position, e.nonce, e.kind, e.environment, e.subject, e.status, e.received_at, e.part, e.parts,
    e.array_start, e.array_end, e.item_start, e.item_end, e.callback_id, ${AUTHENTICATION} as authentication,
    ${CONTENT_TYPE} as content_type, e.source,
    e.body is not null as is_own_body, length(coalesce(e.body, c.body)) as bytes,
    case when strpos(c.headers, '["cdn-loop",') > 0 then c.headers end as loop_headers
  from deliveries d join events e on e.id = d.event_id join callbacks c on c.callback_id = e.callback_id`

interface DueRow extends ClaimRow {
  readonly is_own_body: boolean
  readonly bytes: number
}

/** Without those that the worker holds, and whose claims a crash of the server has undone: their attempts go on. */
const IS_DUE = `d.destination_id = :destinationId and d.state = 'pending' and not (d.claimed_by is null and d.id = any(:held::bigint[]))`

const isReplayed = (is: boolean) => `(d.replay_id is not null) = ${is}`

/** The search for an untried delivery visits at most this many. */
const UNTRIED_LOOKED_AT = 1000

function findUntried(sql: Sql, { destinationId, now, held = [] }: ClaimRequest): Promise<DueRow | undefined> {
  return sql.get<DueRow>(
    `${CLAIMED} where d.attempts = 0 and d.id in (
      select d.id from deliveries d where ${IS_DUE} and ${isReplayed(false)} and d.claimed_by is null and d.next_attempt_at <= at_ms(:now)
      order by d.next_attempt_at desc limit ${UNTRIED_LOOKED_AT})
    order by d.next_attempt_at desc limit 1`,
    { destinationId, now, held },
  )
}

/** Unclaimed ones, and those whose leases have ended: `next_attempt_at` is the end of the lease. */
function dueBetween(isReplay: boolean, from: string, to: string): string {
  return `select d.id from deliveries d where ${IS_DUE} and ${isReplayed(isReplay)} and d.next_attempt_at between at_ms(${from}) and at_ms(${to})
    order by d.next_attempt_at, d.id limit :limit`
}

const DUE = `
  ${CLAIMED} where d.id in (
    (${dueBetween(false, ':freshSince', ':now')}) union all (${dueBetween(false, '0', ':before')}) union all (${dueBetween(true, '0', ':now')}))
  order by d.next_attempt_at, d.id`

/** Replays get the places that the rest of the backlog leaves. */
async function dueRows(sql: Sql, request: ClaimRequest, freshSince: number): Promise<DueRow[]> {
  const { destinationId, now, limit, isUntriedFirst = false, held = [] } = request
  const untried = isUntriedFirst ? await findUntried(sql, request) : undefined
  if (untried !== undefined) return [untried]
  const before = Math.min(now, freshSince - 1)
  const rows = await sql.all<DueRow>(DUE, { destinationId, now, limit, freshSince, before, held })
  const replays = rows.filter((row) => row.replay_id !== null)
  const live = rows.filter((row) => row.replay_id === null)
  const fresh = live.filter((row) => row.next_attempt_at > before)
  const old = live.filter((row) => row.next_attempt_at <= before)
  const backlog = [...old, ...replays].slice(0, placesOfBacklog(request, fresh.length))
  return [...fresh.slice(0, limit - backlog.length), ...backlog]
}

async function leftBehind(sql: Sql, { destinationId, now, held = [] }: ClaimRequest, freshSince: number) {
  const next = (isReplay: boolean, from: string) =>
    `(select min(d.next_attempt_at) from deliveries d where ${IS_DUE} and ${isReplayed(isReplay)} and d.next_attempt_at >= at_ms(${from}))`
  const due = await sql.get<NextDue>(
    `select ${next(false, ':freshSince')} as fresh, ${next(false, '0')} as live, ${next(true, '0')} as replay`,
    { destinationId, freshSince, held },
  )
  return leftOf(due as NextDue, now, freshSince)
}

async function claimRows(
  sql: Sql,
  request: ClaimRequest,
  due: readonly DueRow[],
  fence: number,
): Promise<ClaimedDelivery[]> {
  if (due.length === 0) return []
  const taken = withinBytes(due)
  const bodies = await readBodies(sql, taken)
  const replays = await findReplays(sql, taken)
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
  return taken.map((row) => {
    const body = bytesOfFact(bodies.get(sourceOf(row)) as Buffer, spanOfRow(row))
    return claimedDeliveryOf(row, request, body, replays.has(row.delivery_id))
  })
}

/** The body of a callback, or of an event that has its own. */
function sourceOf({ position, callback_id: callbackId, is_own_body: isOwn }: DueRow): string {
  return isOwn ? `event ${position}` : `callback ${callbackId}`
}

/** As many as CLAIM_BYTES allows, but at least one. */
function withinBytes(rows: readonly DueRow[]): readonly DueRow[] {
  const sources = new Set<string>()
  let [claimed, read] = [0, 0]
  let count = 0
  for (const row of rows) {
    if (claimed >= CLAIM_BYTES || read >= READ_BYTES) break
    const span = spanOfRow(row)
    claimed += row.bytes - (span === null ? 0 : span.arrayEnd - span.arrayStart - (span.itemEnd - span.itemStart))
    if (!sources.has(sourceOf(row))) read += row.bytes
    sources.add(sourceOf(row))
    count++
  }
  return rows.slice(0, count)
}

async function readBodies(sql: Sql, rows: readonly DueRow[]): Promise<Map<string, Buffer>> {
  const own = rows.filter((row) => row.is_own_body).map(({ position }) => position)
  const callbackIds = [...new Set(rows.filter((row) => !row.is_own_body).map((row) => row.callback_id))]
  const found = await sql.all<{ source: string; body: Buffer }>(
    `select 'callback ' || callback_id as source, body from callbacks where callback_id = any(:callbackIds::bigint[])
    union all select 'event ' || id, body from events where id = any(:own::bigint[])`,
    { callbackIds, own },
  )
  return new Map(found.map(({ source, body }) => [source, body]))
}

/** Deliveries whose destination received the event before, or a later one with its order key. */
async function findReplays(sql: Sql, rows: readonly DueRow[]): Promise<Set<number>> {
  const replayed = rows.filter((row) => row.replayed_at !== null)
  const known = replayed.filter((row) => row.delivered_at !== null).map((row) => row.delivery_id)
  const ids = replayed
    .filter((row) => row.delivered_at === null && row.order_key !== null)
    .map((row) => row.delivery_id)
  if (ids.length === 0) return new Set(known)
  const behind = await sql.all<{ id: number }>(
    `select d.id from deliveries d where d.id = any(:ids::bigint[]) and exists (
      select from deliveries l where l.destination_id = d.destination_id and l.delivered_key = d.order_key and l.event_id > d.event_id)`,
    { ids },
  )
  return new Set([...known, ...behind.map(({ id }) => id)])
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
  const isHeldDue = held.length > 0 && (await renew(sql, { held, fence, now, leaseUntil }))
  const rows = await dueRows(sql, request, freshSince)
  const deliveries = await claimRows(sql, request, rows, fence)
  const left = await leftBehind(sql, request, freshSince)
  const isAll = rows.length < request.limit && deliveries.length === rows.length && !left.hasBacklog
  if (slots !== undefined) handOver.offered([slots])
  handOver.claimed(request.destinationId, slotsOfAll(deliveries), isAll)
  return { deliveries, ...left, isHeldDue }
}

/** Whether one of the held deliveries is due, or its claim was undone. */
async function renew(
  sql: Sql,
  values: Pick<ClaimRequest, 'now' | 'leaseUntil'> & { readonly held: readonly number[]; readonly fence: number },
): Promise<boolean> {
  const isDue = `id = any(:held::bigint[]) and state = 'pending' and next_attempt_at <= at_ms(:now)`
  const row = await sql.get<{ is_due: boolean }>(
    `with renewed as (update deliveries set next_attempt_at = at_ms(:leaseUntil) where ${isDue} and claimed_by = :fence returning id)
    select exists (select from renewed) or exists (select from deliveries where ${isDue} and claimed_by is null) as is_due`,
    { ...values },
  )
  return row?.is_due === true
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
