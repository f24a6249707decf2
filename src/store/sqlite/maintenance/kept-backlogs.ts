import type { KeptBacklog, StoreSnapshot } from '../../../domain/store-snapshot.ts'

/** What the main thread knows of the sums that the writer keeps. */
export interface KeptBacklogs {
  /** A connection of the writer was opened: its sums replace all earlier ones. */
  begin(all: readonly KeptBacklog[]): void
  /** A batch has changed these. */
  change(changed: readonly KeptBacklog[]): void
  takeSnapshot(): Promise<StoreSnapshot>
}

type Kept = { -readonly [Name in keyof KeptBacklog]: KeptBacklog[Name] } & {
  /** As `from`, of the changes since the last snapshot began. */
  entered: number
}

const NONE = Number.POSITIVE_INFINITY

/** @param take by the reader, which sees all that the sums are of, and possibly more */
export function createKeptBacklogs(take: (kept: readonly KeptBacklog[]) => Promise<StoreSnapshot>): KeptBacklogs {
  const kept = new Map<number, Kept>()
  /** One at a time: each search for the oldest delivery begins where the one before it has ended. */
  let taking: Promise<unknown> = Promise.resolve()

  async function takeNext(): Promise<StoreSnapshot> {
    for (const one of kept.values()) one.entered = NONE
    const snapshot = await take([...kept.values()])
    for (const { destinationId, id } of snapshot.searchedTo ?? []) {
      const one = kept.get(destinationId)
      // A delivery that began to wait meanwhile may be older than the one found.
      if (one !== undefined && one.from !== NONE) one.from = Math.min(Math.max(one.from, id), one.entered)
    }
    return snapshot
  }

  function change(changed: readonly KeptBacklog[]): void {
    for (const one of changed) {
      const known = kept.get(one.destinationId)
      const isEmpty = one.waiting + one.blocked + one.held === 0
      const from = isEmpty ? NONE : Math.min(known?.from ?? NONE, one.from)
      kept.set(one.destinationId, { ...one, from, entered: Math.min(known?.entered ?? NONE, one.from) })
    }
  }

  return {
    begin(all) {
      kept.clear()
      change(all)
    },
    change,
    takeSnapshot() {
      const next = taking.then(takeNext, takeNext)
      taking = next
      return next
    },
  }
}
