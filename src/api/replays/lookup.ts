import { parseNumberedId } from '../../domain/public-id.ts'
import type { ReplayRecord } from '../../domain/replay.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'

/** @throws PortariaError `not_found` */
export async function findReplay(store: Pick<StoreReader, 'getReplay'>, id: string): Promise<ReplayRecord> {
  const number = parseNumberedId('rpl', id)
  const replay = number === null ? null : await store.getReplay(number)
  if (replay === null) throw new PortariaError('not_found', `there is no replay ${id.slice(0, 64)}`)
  return replay
}
