import type { RefusalBatch, RefusalFilter, RefusalPage, RefusalRecord } from '../../domain/refusal.ts'
import { type RefusalRow, refusalOfRow } from '../rows/refusal-row.ts'
import { KEPT, KEPT_CALLBACKS, KEPT_PER_ADDRESS, OF_CALLBACK } from '../rules/kept-refusals.ts'
import { conditionsFor } from '../rules/numbered-page.ts'
import { newestNumber, numberedPage } from './database/numbered-page.ts'
import { inEnvironment, ofInstitution } from './database/realm-conditions.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

/** Returns how many were newly marked as the service's probe. */
export async function recordRefusals(
  _parts: unknown,
  { sql }: Transaction,
  { refusals, probes }: RefusalBatch,
): Promise<number> {
  for (const refusal of refusals)
    await sql.run(
      `insert into refusals (refused_at, listener, remote_address, code, reason, raw_code, detail, environment, tls_version, server_name, chain, count)
      values (at_ms(:refusedAt), :listener, :remoteAddress, :code, :reason, :rawCode, :detail, :environment, :tlsVersion, :serverName, :chain, :count)`,
      { ...refusal, chain: JSON.stringify(refusal.chain) },
    )
  for (const address of new Set(refusals.map(({ remoteAddress }) => remoteAddress))) await pruneAddress(sql, address)
  const counts = await sql.get<{ callbacks: number; others: number }>(
    `select count(*) filter (where ${OF_CALLBACK}) as callbacks, count(*) filter (where not ${OF_CALLBACK}) as others from refusals`,
  )
  const { callbacks, others } = counts ?? { callbacks: 0, others: 0 }
  if (others > KEPT) await removeOldest(sql, `not ${OF_CALLBACK}`, others - KEPT)
  if (callbacks > KEPT_CALLBACKS) await removeOldest(sql, OF_CALLBACK, callbacks - KEPT_CALLBACKS)
  let marked = 0
  for (const { address, since } of probes)
    marked += await sql.run(
      `update refusals set is_probe = true
      where remote_address = :address and code = 'no_certificate' and refused_at >= at_ms(:since) and not is_probe`,
      { address, since },
    )
  return marked
}

async function pruneAddress(sql: Sql, address: string): Promise<void> {
  await sql.run(
    `delete from refusals where remote_address = :address and not ${OF_CALLBACK} and id <=
      (select id from refusals where remote_address = :address and not ${OF_CALLBACK} order by id desc limit 1 offset ${KEPT_PER_ADDRESS})`,
    { address },
  )
}

function removeOldest(sql: Sql, condition: string, limit: number): Promise<number> {
  return sql.run(
    `delete from refusals where id in (select id from refusals where ${condition} order by id limit :limit)`,
    { limit },
  )
}

export function dropRefusals(_parts: unknown, { sql }: Transaction, limit: number): Promise<number> {
  return removeOldest(sql, 'true', limit)
}

const CONDITIONS = [
  ['before', 'id < :before'],
  ['address', 'remote_address = :address'],
  ['listener', 'listener = :listener'],
  ['environment', inEnvironment('environment')],
  ['institution', ofInstitution('environment')],
  ['refusedFrom', 'refused_at >= at_ms(:refusedFrom)'],
  ['refusedTo', 'refused_at < at_ms(:refusedTo)'],
  ['codes', 'code = any(:codes::text[])'],
] as const

export async function listRefusals(sql: Sql, filter: RefusalFilter, limit: number): Promise<RefusalPage> {
  const query = { ...conditionsFor(filter, CONDITIONS), table: 'refusals', after: filter.after } as const
  const { rows, ...rest } = await numberedPage<RefusalRow>(sql, { ...query, newestFirst: filter.newestFirst }, limit)
  return { refusals: rows.map(refusalOfRow), ...rest }
}

export async function getRefusal(sql: Sql, id: number): Promise<RefusalRecord | null> {
  const row = await sql.get<RefusalRow>('select * from refusals where id = :id', { id })
  return row === undefined ? null : refusalOfRow(row)
}

export function latestRefusal(sql: Sql): Promise<number> {
  return newestNumber(sql, 'refusals')
}
