import type { TimeWindow } from '../database/clock.ts'
import type { Connection } from '../database/connection.ts'
import { HashBlock } from './hash-block.ts'
import { blockOf, GEOMETRY, type Geometry } from './hash-words.ts'
import { createSealedHashes, type SealedHashes, type Sealing } from './sealed-hashes.ts'

/** Finds the event of an equal fact inside the deduplication window. */
export interface Deduplication {
  /** Position of the event of an equal fact; null: none, or the hash is null, which equals nothing. */
  find(hash: Uint8Array | null): number | null
  /** Inside the transaction. Positions rise. */
  add(hash: Uint8Array | null, position: number, receivedAt: number): void
  /** After the commit. */
  committed(): void
  /** After a rollback: undoes the additions. */
  rolledBack(): void
}

export interface DeduplicationOptions {
  readonly window: TimeWindow
  /** Called after each block that the start had to seal. */
  readonly onSealing?: (progress: SealingProgress) => void
  readonly geometry?: Geometry
}

/** Positions of the deduplication window that the start has read, and all of them. */
export interface SealingProgress {
  readonly done: number
  readonly of: number
}

/** Of a hash that a block keeps. */
const FINGERPRINT_BYTES = 8

/** A block is sealed within the first sixteenth of the next one. */
const SEALED_WITHIN = 16

/**
 * The hashes of the newest block of positions are in memory. A block that is complete is written to disk, once, in small steps with the additions of the
 * next one, and found there from then on: memory and start do not grow with the number of events.
 */
export function createDeduplication(db: Connection, options: DeduplicationOptions): Deduplication {
  const { window, geometry = GEOMETRY } = options
  const hashOf = db.prepare<[number], { fact_hash: Buffer; received_at: number }>(
    'select fact_hash, received_at from events where id = ? and fact_hash is not null',
  )
  const sealed = createSealedHashes(db, geometry)
  /** Oldest first; all but the last one are complete. */
  let recent = withSmallCache(db, () => readUnsealed(db, sealed, options))
  sealed.dropUnfinished()
  /** The filters of all blocks since then are in memory. */
  let loadedSince = window.since()
  sealed.load(loadedSince)
  let sealing: Sealing | null = null
  let isSealed = false
  const added: { hash: Uint8Array; position: number }[] = []
  const stepEvery = Math.max(1, 2 ** (geometry.blockBits - geometry.bucketBits) / SEALED_WITHIN)
  let untilStep = stepEvery

  function blockFor(position: number): HashBlock {
    const last = recent.at(-1)
    if (last?.holds(position) === true) return last
    const opened = new HashBlock(blockOf(position, geometry), geometry)
    recent.push(opened)
    return opened
  }

  function continueSealing(): void {
    if (sealing === null || isSealed || --untilStep > 0) return
    untilStep = stepEvery
    isSealed = sealing.step()
    if (isSealed) sealed.dropGone()
  }

  /** When the clock was set back, or is found implausible, facts are inside the window again. */
  function loadForgotten(): void {
    const from = window.since()
    if (from >= loadedSince) return
    sealed.load(from)
    loadedSince = from
  }

  return {
    find(hash) {
      if (hash === null) return null
      loadForgotten()
      const confirm = (position: number): boolean => {
        const row = hashOf.get(position)
        return row !== undefined && Buffer.compare(row.fact_hash, hash) === 0 && window.has(row.received_at)
      }
      for (let i = recent.length - 1; i >= 0; i--) {
        const position = (recent[i] as HashBlock).find(hash, confirm)
        if (position !== null) return position
      }
      return sealed.find(hash, confirm)
    },

    add(hash, position, receivedAt) {
      if (hash === null) return
      blockFor(position).add(hash, position, receivedAt)
      added.push({ hash, position })
      continueSealing()
    },

    committed() {
      added.length = 0
      sealing?.committed()
      if (isSealed) {
        recent.shift()
        sealing = null
        isSealed = false
        loadedSince = window.since()
        sealed.expire(loadedSince)
      }
      // Its positions are committed up to its end: no rollback changes it.
      if (sealing === null && recent.length > 1) sealing = sealed.seal(recent[0] as HashBlock)
    },

    rolledBack() {
      for (const { hash, position } of added.reverse())
        recent.find((block) => block.holds(position))?.undo(hash, position)
      added.length = 0
      recent = recent.filter(({ size }) => size > 0)
      sealing?.rolledBack()
      isSealed = false
    },
  }
}

/**
 * Reads the events of the window that no sealed block covers, and seals their blocks, all but the last one: after a crash that is one block, after an
 * upgrade or with a longer window all of them. A start that was interrupted goes on with the next one.
 */
function readUnsealed(db: Connection, sealed: SealedHashes, options: DeduplicationOptions): HashBlock[] {
  const { geometry = GEOMETRY, onSealing } = options
  const nextEvent = db.prepare<[number], number | null>('select min(id) from events where id >= ?').pluck()
  const size = 2 ** geometry.blockBits
  const last = db.prepare<[], number | null>('select max(id) from events').pluck().get() ?? 0
  const openBlock = blockOf(last, geometry)
  // The open block will be sealed as a whole, and may later be needed by a longer window. So may the one before it, which a crash may have left
  // unsealed, when a clock that is ahead is set back.
  const before = db
    .prepare<[number], number | null>('select max(id) from events where id < ?')
    .pluck()
    .get(openBlock * size)
  const kept = Math.max(1, blockOf(before ?? last, geometry) * size)
  const start = Math.min(oldestPosition(db, options.window.since()), kept)
  for (let from: number | null = start; ; ) {
    const position: number | null = nextEvent.get(from) ?? null
    if (position === null) return []
    const block = sealed.nextUnsealed(blockOf(position, geometry))
    if (block > blockOf(position, geometry)) {
      from = block * size
      continue
    }
    const hashes = readBlock(db, block, geometry)
    if (block === openBlock) return hashes.size > 0 ? [hashes] : []
    db.transaction(() => sealed.write(hashes)).immediate()
    from = (block + 1) * size
    onSealing?.({ done: from - start, of: last - start + 1 })
  }
}

/** Reads each page once, so that pages of old events do not stay in the memory of a gateway that has just started. */
function withSmallCache<T>(db: Connection, read: () => T): T {
  const size = db.pragma('cache_size', { simple: true }) as number
  db.pragma('cache_size = -512')
  try {
    return read()
  } finally {
    db.pragma(`cache_size = ${size}`)
  }
}

/** Reads the words of a hash as text: a buffer for each row takes half as long again. */
function readBlock(db: Connection, block: number, geometry: Geometry): HashBlock {
  const hashes = new HashBlock(block, geometry)
  const rows = db
    .prepare<[number, number], [number, number, string]>(`
      select id, received_at, hex(substr(fact_hash, 1, ${FINGERPRINT_BYTES})) from events where id between ? and ? and fact_hash is not null`)
    .raw()
  const first = block * 2 ** geometry.blockBits
  const hash = Buffer.alloc(FINGERPRINT_BYTES)
  for (const [position, receivedAt, hex] of rows.iterate(first, first + 2 ** geometry.blockBits - 1)) {
    hash.write(hex, 'hex')
    hashes.add(hash, position, receivedAt)
  }
  return hashes
}

/** The first position received at `since` or later, by bisection: positions rise with time, except for late releases from quarantine, which are skipped. */
function oldestPosition(db: Connection, since: number): number {
  const at = db.prepare<[number], { id: number; received_at: number }>(`
    select id, received_at from events e
    where id >= ? and not exists (select 1 from quarantine q where q.event_id = e.id) order by id limit 1`)
  let low = 1
  let high = db.prepare<[], { id: number | null }>('select max(id) as id from events').get()?.id ?? 0
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const row = at.get(middle)
    if (row === undefined || row.received_at >= since) high = middle - 1
    else low = row.id + 1
  }
  return low
}
