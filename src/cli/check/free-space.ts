import { dirname } from 'node:path'
import type { Config, StorageConfig } from '../../config/config.ts'
import type { FreeSpace } from '../../domain/disk-pressure.ts'
import { type DiskLevel, minFreeBytesOf, nextLevel, roomIn } from '../../domain/disk-pressure.ts'
import { freeSpaceFor, nearestExisting } from '../../store/free-space.ts'
import { sizeInWords } from '../output.ts'
import { readIfPossible } from '../reader.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('storage')

const WHAT = 'free space'
const NEXT_STEP =
  'free some, or move the database (storage.url) to a larger disk; on a small one set storage.minFreeSpace to a size that leaves room'

/** Below this multiple of minFreeSpace there is little time to act. */
const LITTLE = 2

const LEFT_UNDONE: Readonly<Record<Exclude<DiskLevel, 'ok'>, string>> = {
  no_refusals: 'refusals are no longer recorded',
  no_answers: 'refusals and answers of destinations are no longer recorded',
  no_callbacks: 'new callbacks are refused (503)',
}

/** The level at which a running gateway would be with the present space. */
export async function checkFreeSpace(config: Config, file: string): Promise<Finding> {
  const { minFreeSpace } = config.storage
  const space = freeSpaceFor(file)
  const place = nearestExisting(dirname(file))
  if (space === null)
    return warning('space.unknown', WHAT, `the system does not say how much is free at ${place}`, `look with: df -h`)
  const reusableBytes = await readIfPossible(config, 0, async (reader) => (await reader.reusableBytes?.()) ?? 0)
  return spaceFinding(space, { minFreeSpace, reusableBytes, place })
}

/** @param storage.reusableBytes free pages within the database */
export function spaceFinding(
  { freeBytes, totalBytes }: Pick<FreeSpace, 'freeBytes' | 'totalBytes'>,
  storage: Pick<StorageConfig, 'minFreeSpace'> & { readonly reusableBytes: number; readonly place: string },
): Finding {
  const { reusableBytes, place } = storage
  const minFreeBytes = minFreeBytesOf(storage.minFreeSpace, totalBytes)
  const room = roomIn({ freeBytes, reusableBytes, pendingBytes: 0 })
  const found = `${sizeInWords(freeBytes)} free at ${place}, storage.minFreeSpace is ${sizeInWords(minFreeBytes)}`
  const level = nextLevel('ok', room, minFreeBytes)
  if (level === 'no_callbacks') return problem('space_out', WHAT, `${found}: ${LEFT_UNDONE[level]}`, NEXT_STEP)
  if (level !== 'ok') return warning('space_short', WHAT, `${found}: ${LEFT_UNDONE[level]}`, NEXT_STEP)
  return room < LITTLE * minFreeBytes ? warning('space_short', WHAT, found, NEXT_STEP) : good(WHAT, found)
}
