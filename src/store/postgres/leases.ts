import { JOBS, type Lease, type NodeIdentity, type NodeRecord, type SignedOn } from '../../domain/nodes/node.ts'
import type { Sql, WriterSql } from './database/sql.ts'
import { voidClaims } from './deliveries/claims.ts'
import type { Transaction } from './writing/transaction.ts'
import type { WriterParts } from './writing/writer-parts.ts'

/** A lease ends so long after its last renewal, and a node counts as living so long after its last sign of life. */
export const LEASE_MS = 15_000

/** A node that was silent for longer is forgotten. */
const FORGOTTEN_AFTER = '30 days'

/** Destinations that get deliveries, or have some left. */
const WITH_LEASES = "state in ('active', 'paused') or not is_settled"

type LeaseParts = Pick<WriterParts, 'node' | 'leaseMs'>

/**
 * In few turns, because all nodes wait meanwhile. The head is locked first: no claim, outcome or hand-over happens beside a change of holders. A lease that ends later than a new one would is from before
 * the clock of the database went back: it ends with a new one.
 */
export async function signOn(
  parts: LeaseParts,
  transaction: Transaction,
  identity: NodeIdentity,
  now: number,
  mayTakeOver: boolean,
): Promise<SignedOn> {
  const { sql } = transaction
  const { leaseMs } = parts
  const head = await transaction.head()
  const node = await showLife(parts, sql, identity)
  sql.send(`update leases set until = ${inMs('leaseMs')} where node = :node or until > ${inMs('leaseMs')}`, {
    node,
    leaseMs,
  })
  const [isAnyGone, counts, holding] = await Promise.all([
    adjustLeases(sql),
    sql.get<Counts>(COUNTS, { node, name: identity.name, leaseMs, mayTakeOver }),
    heldBy(sql, node),
  ])
  if (isAnyGone) await transaction.changeLeases()
  const { living, named, all, own, free, time } = counts as Counts
  parts.node.living = living
  let held = holding
  const share = Math.ceil(all / living)
  const limit = Math.min(free, share - own)
  if (limit > 0) {
    await transaction.changeLeases()
    const taken = await takeFree(sql, { node, leaseMs, mayTakeOver, limit, fence: head.leases })
    // A node that signs on for the first time does not know yet how far its clock is ahead.
    await voidClaims(sql, taken, Math.min(now, time))
    held = await heldBy(sql, node)
  }
  return { held, surplus: Math.max(0, own - share), living, time, isNameShared: named > 1 }
}

function inMs(parameter: string): string {
  return `statement_timestamp() + :${parameter} * interval '1 ms'`
}

const IS_LIVING = "seen_at > statement_timestamp() - :leaseMs * interval '1 ms'"

interface Counts {
  readonly living: number
  readonly named: number
  readonly all: number
  readonly own: number
  readonly free: number
  readonly time: number
}

const IS_FREE = '(node is null or (:mayTakeOver and node <> :node and until <= statement_timestamp()))'

const LIVING = `select count(*) from nodes where (id = :node or ${IS_LIVING})`

const COUNTS = `select (${LIVING}) as living, (${LIVING} and name = :name) as named,
  count(*) as "all", count(*) filter (where node = :node) as own, count(*) filter (where ${IS_FREE}) as free,
  statement_timestamp() as time from leases`

/** Returns the number of this node. Its row may be gone after a long silence, or after the transaction that made it was undone. */
async function showLife(
  { node, leaseMs }: LeaseParts,
  sql: WriterSql,
  { name, version, facts, configured }: NodeIdentity,
) {
  const values = { id: node.id, name, version, facts: JSON.stringify(facts), configured, leaseMs }
  // Likewise: a dead node would live until its last sign of life is past.
  sql.send('update nodes set seen_at = statement_timestamp() where seen_at > statement_timestamp()')
  const known = await sql.run(
    'update nodes set seen_at = statement_timestamp(), version = :version, facts = :facts, configured = :configured::text[] where id = :id',
    values,
  )
  if (known === 0) {
    const made = await sql.get<{ id: number }>(
      `insert into nodes (name, version, facts, configured, started_at, seen_at)
      values (:name, :version, :facts, :configured::text[], statement_timestamp(), statement_timestamp()) returning id`,
      values,
    )
    node.id = made?.id ?? null
  }
  sql.send(
    `delete from nodes where id <> :id and not (${IS_LIVING})
      and (name = :name or seen_at < statement_timestamp() - interval '${FORGOTTEN_AFTER}')`,
    { ...values, id: node.id },
  )
  return node.id as number
}

/** One lease for each destination that needs a worker, and one for the jobs. Returns whether one is gone. */
async function adjustLeases(sql: WriterSql): Promise<boolean> {
  sql.send(
    `insert into leases (destination_id) select id from destinations where ${WITH_LEASES} union all select ${JOBS} on conflict do nothing`,
  )
  // An attempt whose outcome is not recorded yet needs the lease of its claim.
  const gone = await sql.run(
    `delete from leases l where destination_id <> ${JOBS}
      and not exists (select from destinations where id = l.destination_id and (${WITH_LEASES}))
      and not exists (select from deliveries where destination_id = l.destination_id and claimed_by is not null)`,
  )
  return gone > 0
}

interface Taking {
  readonly node: number
  readonly leaseMs: number
  readonly mayTakeOver: boolean
  readonly limit: number
  readonly fence: number
}

async function takeFree(sql: Sql, taking: Taking): Promise<number[]> {
  const taken = await sql.all<{ destination_id: number }>(
    `update leases set node = :node, fence = :fence, until = ${inMs('leaseMs')}
    where destination_id in (
      select destination_id from leases where ${IS_FREE} order by destination_id limit :limit)
    returning destination_id`,
    { ...taking },
  )
  return taken.map((row) => row.destination_id)
}

async function heldBy(sql: Sql, node: number): Promise<Lease[]> {
  return sql.all<Lease>(
    'select destination_id as "destinationId", fence from leases where node = :node order by destination_id',
    { node },
  )
}

export async function freeLeases(
  { node }: LeaseParts,
  transaction: Transaction,
  destinationIds: readonly number[],
): Promise<void> {
  const freed = await transaction.sql.run(
    'update leases set node = null where node = :node and destination_id = any(:destinationIds::bigint[])',
    { node: node.id, destinationIds },
  )
  if (freed > 0) await transaction.changeLeases()
}

export async function signOff({ node }: LeaseParts, transaction: Transaction): Promise<void> {
  const { sql } = transaction
  await transaction.changeLeases()
  sql.send('update leases set node = null where node = :node', { node: node.id })
  sql.send('delete from nodes where id = :node', { node: node.id })
}

/** Names of the destinations that the configuration file of another living node has. */
export async function configuredByOthers({ node, leaseMs }: LeaseParts, sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `select distinct unnest(configured) as name from nodes where id is distinct from :node and ${IS_LIVING}`,
    { node: node.id, leaseMs },
  )
  return rows.map(({ name }) => name)
}

interface NodeRow extends Omit<NodeRecord, 'startedAt' | 'seenAt' | 'isLiving'> {
  readonly started_at: number
  readonly seen_at: number
  readonly is_living: boolean
}

export async function listNodes(sql: Sql): Promise<NodeRecord[]> {
  const rows = await sql.all<NodeRow>(
    `select *, ${IS_LIVING} as is_living,
      array(select destination_id::integer from leases where node = nodes.id order by destination_id) as leases
    from nodes order by name, id`,
    { leaseMs: LEASE_MS },
  )
  return rows.map(({ started_at: startedAt, seen_at: seenAt, is_living: isLiving, ...row }) => ({
    ...row,
    startedAt,
    seenAt,
    isLiving,
  }))
}
