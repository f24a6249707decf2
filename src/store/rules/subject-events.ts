import type { EventWithBody, SubjectEvents, SubjectKey } from '../../domain/event-record.ts'

/** Positions that an answer has of one subject. */
export const MOST_POSITIONS = 100
/** Bytes of the payloads of one subject; its newest event is always included. */
const SUBJECT_BYTES = 64 * 1024

/** An event of a subject, without its payload. */
export type KeyedRow = SubjectKey & { readonly position: number }

/** @param rows newest first; some may be of other subjects */
export function positionsOfKeys(keys: readonly SubjectKey[], rows: readonly KeyedRow[]): number[][] {
  const byKey = Map.groupBy(rows, textOf)
  return keys.map((key) => (byKey.get(textOf(key)) ?? []).slice(0, MOST_POSITIONS).map(({ position }) => position))
}

/** The events of each subject, as many as fit. @param events by position */
export function eventsOfPositions(
  positions: readonly (readonly number[])[],
  events: ReadonlyMap<number, EventWithBody>,
  limit: number,
): SubjectEvents[] {
  return positions.map((all) => {
    const found = all.slice(0, limit).flatMap((position) => events.get(position) ?? [])
    let bytes = 0
    const fitting = found.filter(({ body }, at) => {
      bytes += body.length
      return at === 0 || bytes <= SUBJECT_BYTES
    })
    return { positions: all, events: fitting }
  })
}

function textOf({ kind, environment, subject }: SubjectKey): string {
  return JSON.stringify([kind, environment, subject])
}
