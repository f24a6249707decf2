import type { CallbackOutcome } from '../domain/event-record.ts'
import { type Outage, SHORTEST_OUTAGE_MS } from '../domain/reconcile/outages.ts'
import type { Store } from '../domain/store.ts'

/** Times in which callbacks are answered 503, from the first such answer until one is stored, or the cause is gone. */
export interface RefusingTime {
  /** Runs for each callback. */
  answered(outcome: Pick<CallbackOutcome, 'kept'>): void
  /** Continues outages that an earlier process has stored and not ended. */
  adopt(ids: readonly number[]): void
  /** Ends the time where its cause is gone. */
  look(): void
  /** Stores what is long enough to be an outage. @throws what the store does: the next call tries again */
  store(): Promise<void>
  /** An outage that the store does not have yet; null: it has all. */
  unstored(): Pick<Outage, 'beganAt' | 'endedAt'> | null
}

export interface RefusingTimeOptions {
  readonly store: Pick<Store, 'beginOutage' | 'endOutage'>
  /** False: the next callback would be answered 503, for all that is known. */
  readonly isAccepting: () => boolean
  readonly now: () => number
}

interface Time {
  readonly beganAt: number
  endedAt: number | null
  /** null: the store does not have it yet. */
  id: number | null
}

/** A full queue is empty for moments in between: its cause is gone when so long nothing was refused. */
const CALM_MS = 60_000
/** More are not kept while the store fails. The oldest are kept: with them the windows close first. */
const MOST_UNSTORED = 100

export function createRefusingTime({ store, isAccepting, now }: RefusingTimeOptions): RefusingTime {
  /** The time that goes on: `answered` begins it, `end` ends it. */
  let current: Time | null = null
  /** Of the last 503. */
  let refusedAt = 0
  /** Ended ones that are not stored yet. */
  const ended: Time[] = []
  /** Outages of an earlier process: `adopt` adds, `end` takes them. */
  let adopted: Time[] = []

  function end(): void {
    const times = current === null ? adopted : [...adopted, current]
    current = null
    adopted = []
    const endedAt = now()
    for (const time of times)
      if (isLong(time, endedAt) && ended.length < MOST_UNSTORED) ended.push(Object.assign(time, { endedAt }))
  }

  async function save(time: Time): Promise<void> {
    const { id, beganAt, endedAt } = time
    if (id === null) time.id = await store.beginOutage({ beganAt, endedAt, cause: 'refusing' })
    else if (endedAt !== null) await store.endOutage(id, endedAt)
  }

  return {
    answered({ kept }) {
      if (kept === null) {
        refusedAt = now()
        current ??= { beganAt: refusedAt, endedAt: null, id: null }
      } else if (current !== null || adopted.length > 0) end()
    },
    adopt(ids) {
      adopted = ids.map((id) => ({ id, beganAt: 0, endedAt: null }))
    },
    look() {
      if (current === null && adopted.length === 0) return
      if (isAccepting() && Math.abs(now() - refusedAt) >= CALM_MS) end()
    },
    async store() {
      for (let [first] = ended; first !== undefined; [first] = ended) {
        await save(first)
        ended.splice(ended.indexOf(first), 1)
      }
      const time = current
      if (time === null || time.id !== null || !isLong(time, now())) return
      await save(time)
    },
    unstored() {
      const time = ended.find(({ id }) => id === null) ?? current
      return time === null || time.id !== null || !isLong(time, now()) ? null : time
    },
  }
}

/** What has a number is long enough already. */
function isLong({ id, beganAt, endedAt }: Time, now: number): boolean {
  return id !== null || (endedAt ?? now) - beganAt > SHORTEST_OUTAGE_MS
}
