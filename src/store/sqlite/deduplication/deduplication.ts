import type { TimeWindow } from '../../rules/certain-clock.ts'
import type { Deduplication } from '../../storing/event-rows.ts'
import type { Connection } from '../database/connection.ts'
import { HashBlock } from './hash-block.ts'
import { blockOf, GEOMETRY, type Geometry } from './hash-words.ts'
import { createSealedHashes, type SealedHashes, type Sealing } from './sealed-hashes.ts'

export interface DeduplicationOptions {
  readonly window: TimeWindow
  readonly geometry?: Geometry
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
  let recent = withSmallCache(db, () => readUnsealed(db, sealed, geometry))
  sealed.dropUnfinished()
  /** The filters of all blocks since then are in memory. */
  let loadedSince = window.since()
  sealed.load(loadedSince)
  /** The block that is being sealed: `committed` begins it, and ends it once it is sealed. */
  let sealing: Sealing | null = null
  /** Whether the last step of `continueSealing` has finished the block; the commit or the rollback ends it. */
  let isSealed = false
  const added: { hash: Uint8Array; position: number }[] = []
  const stepEvery = Math.max(1, 2 ** (geometry.blockBits - geometry.bucketBits) / SEALED_WITHIN)
  /** Calls of `continueSealing` until its next step. */
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
 * Reads the open block, which contains the last position. Seals the complete blocks before it that a crash has left unsealed: one, or more where most of
 * their facts have no hash.
 */
function readUnsealed(db: Connection, sealed: SealedHashes, geometry: Geometry): HashBlock[] {
  const nextEvent = db.prepare<[number], number | null>('select min(id) from events where id >= ?').pluck()
  const size = 2 ** geometry.blockBits
  const openBlock = blockOf(db.prepare<[], number | null>('select max(id) from events').pluck().get() ?? 0, geometry)
  for (let from = sealed.next() * size; ; ) {
    const position = nextEvent.get(from) ?? null
    if (position === null) return []
    const hashes = readBlock(db, blockOf(position, geometry), geometry)
    if (hashes.block === openBlock) return hashes.size > 0 ? [hashes] : []
    db.transaction(() => sealed.write(hashes)).immediate()
    from = (hashes.block + 1) * size
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
