import type { z } from 'zod'
import { parseCursor, parseEventId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest, type PortariaError } from '../../platform/errors.ts'
import { parseTime } from '../../platform/time.ts'
import type { seekSchema } from './schema.ts'

/** The position of a cursor or an event id. @throws PortariaError `request_invalid` */
export function parsePosition(text: string): number {
  const position = parseCursor(text)?.position ?? parseEventId(text)?.position
  if (position === undefined) throw invalidPosition('must be a cursor or an event id')
  return position
}

/** @throws PortariaError `request_invalid` */
export async function resolvePosition(store: StoreReader, target: z.output<typeof seekSchema>): Promise<number> {
  const { position, time } = target
  if (time !== undefined) return store.positionAt(parseTime(time) ?? 0)
  if (position === undefined || position === 'start') return 0
  const latest = await store.latestPosition()
  const resolved = position === 'latest' ? latest : parsePosition(position)
  // A position after the latest event would skip future events.
  if (resolved > latest) throw invalidPosition('there is no such event yet')
  return resolved
}

export function invalidPosition(words: string): PortariaError {
  return invalidRequest('the position is wrong', [{ pointer: '/position', words }])
}
