const START_CAPACITY = 1 << 12
const MAX_LOAD = 0.6

/**
 * A hash table of fact hashes, as 64-bit fingerprints in typed arrays of 16 bytes per slot. A hit is a candidate, which the caller confirms by the full
 * hash in the events table. An index on disk is written at random places: at a million events it would cost more than all other work together.
 */
export class DeduplicationIndex {
  #fingerprints = new Uint32Array(START_CAPACITY * 2)
  #positions = new Float64Array(START_CAPACITY)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The first position with this fingerprint that `confirm` accepts; null: none. */
  find(hash: Uint8Array, confirm: (position: number) => boolean): number | null {
    const high = word(hash, 0)
    const low = word(hash, 4)
    for (let slot = this.#home(low); this.#positions[slot] !== 0; slot = this.#next(slot)) {
      if (this.#fingerprints[slot * 2] !== high || this.#fingerprints[slot * 2 + 1] !== low) continue
      const position = this.#positions[slot] as number
      if (confirm(position)) return position
    }
    return null
  }

  /** Makes room, so that later additions can be undone slot by slot. When the table grows, entries below `oldest` are dropped. */
  reserve(count: number, oldest: () => number): void {
    if ((this.#size + count) / this.#positions.length <= MAX_LOAD) return
    const keepFrom = oldest()
    const fingerprints = this.#fingerprints
    const positions = this.#positions
    const remaining = positions.reduce((sum, position) => sum + (position >= keepFrom && position !== 0 ? 1 : 0), 0)
    this.#allocate((remaining + count) * 2)
    positions.forEach((position, slot) => {
      if (position !== 0 && position >= keepFrom)
        this.#put(fingerprints[slot * 2] as number, fingerprints[slot * 2 + 1] as number, position)
    })
  }

  add(hash: Uint8Array, position: number): void {
    this.#put(word(hash, 0), word(hash, 4), position)
  }

  /** Removes the newest addition. Only in reverse order of the additions, without a `reserve` in between. */
  undo(hash: Uint8Array, position: number): void {
    const low = word(hash, 4)
    for (let slot = this.#home(low); this.#positions[slot] !== 0; slot = this.#next(slot)) {
      if (this.#positions[slot] !== position || this.#fingerprints[slot * 2 + 1] !== low) continue
      this.#positions[slot] = 0
      this.#size--
      return
    }
  }

  #put(high: number, low: number, position: number): void {
    let slot = this.#home(low)
    while (this.#positions[slot] !== 0) slot = this.#next(slot)
    this.#fingerprints[slot * 2] = high
    this.#fingerprints[slot * 2 + 1] = low
    this.#positions[slot] = position
    this.#size++
  }

  #home(low: number): number {
    return low & (this.#positions.length - 1)
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#positions.length - 1)
  }

  #allocate(entries: number): void {
    let capacity = START_CAPACITY
    while (entries / capacity > MAX_LOAD) capacity *= 2
    this.#fingerprints = new Uint32Array(capacity * 2)
    this.#positions = new Float64Array(capacity)
    this.#size = 0
  }
}

function word(hash: Uint8Array, at: number): number {
  return (
    (((hash[at] as number) << 24) |
      ((hash[at + 1] as number) << 16) |
      ((hash[at + 2] as number) << 8) |
      (hash[at + 3] as number)) >>>
    0
  )
}
