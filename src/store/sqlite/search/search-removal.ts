import type { Connection } from '../database/connection.ts'
import { type InParts, inOnePart } from './in-parts.ts'
import { firstTermOf, PageReader, pagesOf, RunWriter, SPAN } from './run-format.ts'
import type { PatchedPage, PatchedRun, SearchRemoval } from './search-change.ts'
import { runsWith, type SearchRun } from './search-runs.ts'

/**
 * The pages of the index without the terms of these events. It reads every page of their runs: a removal does not rely on the terms that a body gives
 * now, but takes what the index holds.
 */
export function* prepareSearchRemoval(db: Connection, positions: readonly number[]): InParts<SearchRemoval> {
  const runs: PatchedRun[] = []
  for (const { positions: found, ...run } of runsWith(db, positions)) runs.push(yield* patchRunInParts(db, run, found))
  return { runs }
}

const offsets = new Uint32Array(SPAN)

type RunToPatch = Pick<SearchRun, 'id' | 'first' | 'events'>

/** At once, inside a transaction. @param positions that the run covers */
export function patchRun(db: Connection, run: RunToPatch, positions: readonly number[]): PatchedRun {
  return inOnePart(patchRunInParts(db, run, positions))
}

function* patchRunInParts(
  db: Connection,
  { id, first, events }: RunToPatch,
  positions: readonly number[],
): InParts<PatchedRun> {
  const removed = new Uint8Array(SPAN)
  for (const position of positions) removed[position - first] = 1
  const counted = countIn(db, id, removed)
  if (counted === 0 || counted === events) return { id, events, positions, removed: counted, pages: [] }
  const pages: PatchedPage[] = []
  const listPages = db.prepare<[number], number>('select id from search_pages where run = ?').pluck()
  const readPage = db
    .prepare<[number, number], Buffer>('select data from search_pages where id = ? and run = ?')
    .pluck()
  for (const page of listPages.all(id)) {
    yield
    const stored = readPage.get(page, id)
    // The run has been replaced since.
    if (stored === undefined) continue
    const data = pageWithout(stored, removed)
    if (data !== stored) pages.push({ id: page, data, beginsElsewhere: !hasSameBeginning(stored, data) })
  }
  return { id, events, positions, removed: counted, pages }
}

function hasSameBeginning(page: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && Buffer.compare(firstTermOf(page), firstTermOf(other)) === 0
}

/** The first entry of the first page names all events of the run. */
function countIn(db: Connection, run: number, removed: Uint8Array): number {
  const data = db
    .prepare<[number], Buffer>('select data from search_pages where run = ? order by first_term limit 1')
    .pluck()
    .get(run)
  if (data === undefined) return 0
  const reader = new PageReader()
  reader.open(data)
  reader.next()
  return countRemoved(reader, removed)
}

function countRemoved(reader: PageReader, removed: Uint8Array): number {
  const count = reader.readOffsets(offsets, 0, 0)
  let found = 0
  for (let at = 0; at < count; at++) found += removed[offsets[at] as number] as number
  return found
}

/** The same page if none of the offsets is in it; null: nothing is left. */
function pageWithout(page: Buffer, removed: Uint8Array): Uint8Array | null {
  const reader = new PageReader()
  reader.open(page)
  let isTouched = false
  while (!isTouched && reader.next()) isTouched = countRemoved(reader, removed) > 0
  if (!isTouched) return page
  reader.open(page)
  const writer = new RunWriter(Number.POSITIVE_INFINITY)
  let isEmpty = true
  while (reader.next()) {
    const count = reader.readOffsets(offsets, 0, 0)
    let left = 0
    for (let at = 0; at < count; at++) {
      const offset = offsets[at] as number
      if (removed[offset] === 0) offsets[left++] = offset
    }
    if (left === 0) continue
    writer.add(reader.term, reader.termLength, offsets, left)
    isEmpty = false
  }
  if (isEmpty) return null
  return pagesOf(writer.end()).next().value?.slice() ?? null
}
