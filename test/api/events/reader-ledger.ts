import { expect } from 'vitest'
import type { Environment, Realm } from '../../../src/domain/realm.ts'
import type { RemovedThrough } from '../../../src/domain/retention.ts'
import type { Store } from '../../../src/domain/store.ts'

/** An event as its sender knows it. */
export interface KnownEvent {
  readonly id: string
  readonly position: number
  readonly kind: string
  readonly environment: Realm
  readonly subject: string | null
  readonly status: string | null
  readonly receivedAt: number
}

interface Entry extends KnownEvent {
  /** Number of the announcement of its removal; null: not announced. */
  announced: number | null
  /** That of the last one: where the gateway was killed during one, only a later one came to be. */
  announcedAgain: number
  isRemoved: boolean
}

export interface Filter {
  readonly kinds?: readonly string[]
  readonly institution?: string
  readonly environment?: Environment
  readonly subject?: string
  readonly status?: string
  readonly receivedFrom?: number
}

/** Everything that was ever acknowledged, and what retention has taken of it: the plainest way, in memory. */
export function createLedger() {
  const entries = new Map<string, Entry>()
  let announcements = 0

  const asks = ({ kinds, institution, environment }: Filter, event: KnownEvent) =>
    (kinds?.includes(event.kind) ?? true) &&
    (institution === undefined || event.environment.startsWith(`${institution}/`)) &&
    (environment === undefined || event.environment.split('/').at(-1) === environment)
  const fits = (filter: Filter, event: KnownEvent) =>
    asks(filter, event) &&
    (filter.subject === undefined || filter.subject === event.subject) &&
    (filter.status === undefined || filter.status === event.status) &&
    event.receivedAt >= (filter.receivedFrom ?? 0)

  return {
    announcements: () => announcements,

    add(event: KnownEvent): void {
      expect(entries.has(event.id)).toBe(false)
      entries.set(event.id, { ...event, announced: null, announcedAgain: 0, isRemoved: false })
    },

    /** Before it is said to the store: from now on it may answer 410 for it. */
    announce(reach: readonly RemovedThrough[]): void {
      announcements++
      for (const entry of entries.values()) {
        const isMeant = (one: RemovedThrough) =>
          one.kind === entry.kind && one.environment === entry.environment && entry.position <= one.through
        if (!reach.some(isMeant)) continue
        entry.announced ??= announcements
        entry.announcedAgain = announcements
      }
    },

    /** Nothing is gone of which no one said so; what no one knows is there only where an answer was lost. */
    async compare(store: Store, mayHaveMore: boolean): Promise<void> {
      const there = new Set<string>()
      for (let after = 0, more = true; more; ) {
        const page = await store.listEvents({ after }, 1000)
        for (const event of page.events) {
          there.add(event.id)
          if (entries.has(event.id)) continue
          expect(mayHaveMore).toBe(true)
          this.add(event)
        }
        ;({ next: after, more } = page)
      }
      for (const entry of entries.values()) {
        if (there.has(entry.id)) continue
        expect(entry.announced, `${entry.id} is lost`).not.toBeNull()
        entry.isRemoved = true
      }
    },

    /** A reader that is there may be told that it misses something of which it was not told before. */
    expectMissed(filter: Filter, position: number, toldAt: number): void {
      const isMissed = (entry: Entry) =>
        entry.announcedAgain > toldAt && entry.position > position && asks(filter, entry)
      expect([...entries.values()].some(isMissed)).toBe(true)
    },

    expectFits(filter: Filter, ids: readonly string[]): void {
      for (const id of ids) expect(fits(filter, entries.get(id) as Entry)).toBe(true)
    },

    /** In their order, each once; what is missing was removed, and the reader learned of it. */
    expectAll(filter: Filter, ids: readonly string[], toldAt: number): void {
      const wanted = [...entries.values()].filter((entry) => fits(filter, entry))
      const seen = new Set(ids)
      const expected = wanted
        .filter(({ id, isRemoved, announced }) => seen.has(id) || !isRemoved || (announced ?? 0) > toldAt)
        .sort((a, b) => a.position - b.position)
      expect(ids).toEqual(expected.map(({ id }) => id))
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>
