import type { Decision, ReleasedFact } from '../../../domain/quarantine.ts'
import { getHeldFact } from '../../sql/quarantine.ts'
import { ask } from '../database/ask.ts'
import type { Transaction } from '../writing/transaction.ts'
import { readHeldFact } from './known-facts.ts'
import { beginStoring, NO_NEEDS, type StoringOptions } from './storing.ts'

export async function releaseQuarantined(
  options: StoringOptions,
  transaction: Transaction,
  id: number,
  decision: Decision,
): Promise<ReleasedFact> {
  await transaction.head()
  const held = await readHeldFact(transaction.sql, id)
  const needs = { ...NO_NEEDS, facts: [held], callbackIds: [held.callbackId], held: new Map([[id, held]]) }
  const storing = await beginStoring(transaction, needs, options)
  const released = storing.callbacks.release(id, decision, storing.destinations)
  storing.write()
  return { fact: await ask(transaction.sql, getHeldFact, id), ...released }
}
