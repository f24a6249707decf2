import type { SettledToken, TokenOutcome } from '../../../domain/service/notification-token.ts'
import { type StoredToken, tokenOfRow } from '../../storing/token-row.ts'
import type { Transaction } from '../writing/transaction.ts'
import { beginStoring, NO_NEEDS, needsOfOutcome, type StoringOptions } from './storing.ts'

export async function settleToken(
  options: StoringOptions,
  transaction: Transaction,
  outcome: TokenOutcome,
): Promise<SettledToken> {
  await transaction.head()
  const row = await transaction.sql.get<StoredToken>('select * from notification_tokens where id = :tokenId', {
    tokenId: outcome.tokenId,
  })
  const job = row === undefined ? undefined : tokenOfRow(row)
  const needs = job === undefined ? NO_NEEDS : { ...needsOfOutcome(job, outcome), jobs: [job] }
  const storing = await beginStoring(transaction, needs, options)
  const settled = storing.settleToken(outcome, storing.destinations)
  storing.write()
  return settled
}
