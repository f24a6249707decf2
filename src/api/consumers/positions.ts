import { type Cursor, parseCursor, parseEventId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest, type PortariaError } from '../../platform/errors.ts'
import { parseTime } from '../../platform/time.ts'
import type { Seek } from './contract.ts'

/** The place of a cursor or an event id. @throws PortariaError `request_invalid` */
export function parsePlace(text: string): Cursor {
  const place = parseCursor(text) ?? placeAt(parseEventId(text)?.position)
  if (place === null) throw invalidPosition('must be a cursor or an event id')
  return place
}

function placeAt(position: number | undefined): Cursor | null {
  return position === undefined ? null : { position, gapsReportedAt: 0 }
}

/** @throws PortariaError `request_invalid` */
export async function resolvePlace(store: StoreReader, target: Seek): Promise<Cursor> {
  const { position, time } = target
  if (time !== undefined) return { position: await store.positionAt(parseTime(time) ?? 0), gapsReportedAt: 0 }
  if (position === undefined || position === 'start') return { position: 0, gapsReportedAt: 0 }
  const latest = await store.latestPosition()
  if (position === 'latest') return { position: latest, gapsReportedAt: 0 }
  const place = parsePlace(position)
  // A position after the latest event would skip future events.
  if (place.position > latest) throw invalidPosition('there is no such event yet')
  return place
}

export function invalidPosition(words: string): PortariaError {
  return invalidRequest('the position is wrong', [{ pointer: '/position', words }])
}
