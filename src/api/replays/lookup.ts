import { parseNumberedId } from '../../domain/public-id.ts'
import type { ReplayRecord } from '../../domain/replay.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'

/** @throws PortariaError `not_found` */
export async function findReplay(store: Pick<StoreReader, 'getReplay'>, id: string): Promise<ReplayRecord> {
  const number = parseNumberedId('rpl', id)
  const replay = number === null ? null : await store.getReplay(number)
  if (replay === null) throw new PortariaError('not_found', say`there is no replay ${{ id: id.slice(0, 64) }}`)
  return replay
}
