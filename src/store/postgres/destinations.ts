import type { Destination, DestinationSettings } from '../../domain/destination.ts'
import type { DestinationChanges } from '../../domain/destination-changes.ts'
import { orderChange, REORDERED_AT_ONCE, refuseReordering } from '../rules/destinations.ts'
import * as steps from '../sql/destinations.ts'
import { ask } from './database/ask.ts'
import type { Sql } from './database/sql.ts'
import { disableOrder, enableOrder, releaseExhausted } from './deliveries/order-keys.ts'
import { configuredByOthers } from './leases.ts'
import type { Transaction } from './writing/transaction.ts'
import type { WriterParts } from './writing/writer-parts.ts'

async function checkReordering(sql: Sql, { before, after }: steps.Rewritten): Promise<void> {
  const { id, name, order } = before
  if (after.order === order) return
  const more = await sql.get(
    `select 1 from deliveries where destination_id = :id and state in ('pending', 'blocked') limit 1 offset ${REORDERED_AT_ONCE}`,
    { id },
  )
  if (more !== undefined) refuseReordering(name)
}

/** Applies a changed order to waiting deliveries. */
async function reorder(
  sql: Sql,
  { before, after }: steps.Rewritten,
  at: { readonly now: number; readonly firstWaitMs: number },
): Promise<void> {
  const change = orderChange(before, after)
  if (change === 'enable') await enableOrder(sql, before.id)
  else if (change === 'disable') await disableOrder(sql, before.id, at.firstWaitMs)
  else if (change === 'release exhausted') await releaseExhausted(sql, before.id, at)
}

/** What only the file of another living node names stays: that file may be the newer one. */
export async function syncDestinations(
  parts: WriterParts,
  { sql }: Transaction,
  configured: readonly DestinationSettings[],
  now: number,
  isStarting = false,
): Promise<{ retired: string[] }> {
  const others = await configuredByOthers(parts, sql)
  const { retired, rewritten } = await ask(sql, steps.syncDestinations, configured, now, others)
  for (const one of rewritten) {
    if (!isStarting) await checkReordering(sql, one)
    await reorder(sql, one, { now, firstWaitMs: parts.firstWaitMs })
  }
  return { retired }
}

export async function updateDestination(
  { firstWaitMs }: WriterParts,
  { sql }: Transaction,
  id: number,
  changes: DestinationChanges,
  now: number,
): Promise<Destination> {
  const rewritten = await ask(sql, steps.updateDestination, id, changes)
  await checkReordering(sql, rewritten)
  await reorder(sql, rewritten, { now, firstWaitMs })
  return { ...rewritten.before, ...rewritten.after }
}
