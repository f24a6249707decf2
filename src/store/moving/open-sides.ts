import type { DatabaseAddress } from '../../platform/postgres/postgres-address.ts'
import type { VerifyStep } from '../verification/verification.ts'
import { type Move, moveDatabase } from './move.ts'
import { openPostgresSource, openPostgresTarget } from './postgres-side.ts'
import { openSqliteSource, openSqliteTarget } from './sqlite-side.ts'

/**
 * Copies a database that no gateway uses into an empty one of the other kind. The source is not changed.
 * @throws PortariaError `conflict`, `store_missing`, `store_locked`, `store_newer`, `store_unavailable`
 */
export async function moveStore(
  from: DatabaseAddress,
  to: DatabaseAddress,
  show: (step: VerifyStep) => void,
): Promise<Move> {
  const source = await ('file' in from ? openSqliteSource(from.file) : openPostgresSource(from))
  try {
    const target = await ('file' in to ? openSqliteTarget(to.file) : openPostgresTarget(to))
    try {
      return await moveDatabase(source, target, show)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
