import { expect } from 'vitest'
import { parseCursor } from '../../../src/domain/public-id.ts'
import { ask } from '../api.ts'
import type { Filter, Ledger } from './reader-ledger.ts'
import type { ReaderWorld } from './reader-world.ts'

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next: string
  readonly more: boolean
}

export type SimulatedPoller = ReturnType<typeof createSimulatedPoller>

/** An app that keeps its cursor, and goes on where a 410 tells it to. */
export function createSimulatedPoller(world: ReaderWorld, ledger: Ledger, filter: Filter) {
  const seen: string[] = []
  let cursor: string | null = null
  /** The last announcement of a removal that it need not be told of: one of those between when a request began and when its answer was read. */
  let reported = { first: 0, last: 0 }
  /** A request that waits. */
  let waiting: Promise<void> | null = null
  let isHeard = true

  function pathOf(limit: number, waits: boolean): string {
    const { kinds, institution, environment, subject, status, receivedFrom } = filter
    const query = new URLSearchParams({
      limit: `${limit}`,
      ...(waits && { wait: '30' }),
      ...(cursor !== null && { after: cursor }),
    })
    if (kinds !== undefined) query.set('kind', kinds.join())
    for (const [name, value] of Object.entries({ institution, environment, subject, status }))
      if (value !== undefined) query.set(name, value)
    if (receivedFrom !== undefined) query.set('from', new Date(receivedFrom).toISOString())
    return `/v1/events?${query}`
  }

  /** Whether there may be more. */
  async function request(limit: number, waits: boolean): Promise<boolean> {
    const isFirst = cursor === null
    const begunAt = ledger.announcements()
    const { status, body } = await ask(world.api(), pathOf(limit, waits))
    // The gateway was killed before: no caller got this answer.
    if (!isHeard) return true
    const answer = JSON.parse(body) as Page
    if (status === 410) {
      ledger.expectMissed(filter, parseCursor(cursor ?? '')?.position ?? 0, reported.first)
      cursor = answer.next
      reported = { first: begunAt, last: ledger.announcements() }
      return true
    }
    expect(status).toBe(200)
    const ids = answer.data.map(({ id }) => id)
    expect(ids.length).toBeLessThanOrEqual(limit)
    seen.push(...ids)
    cursor = answer.next
    if (isFirst) reported = { first: begunAt, last: ledger.announcements() }
    return answer.more
  }

  return {
    async poll(limit: number, waits: boolean): Promise<void> {
      if (waiting !== null) return
      if (!waits) return void (await request(limit, false))
      const begun = request(limit, true).then(
        () => undefined,
        (error: unknown) => {
          // Its caller may have gone.
          const isUnanswered = error instanceof Error && 'code' in error && /^ECONN/.test(String(error.code))
          if (isHeard && !isUnanswered) throw error
        },
      )
      waiting = begun.finally(() => {
        waiting = null
      })
      // The awaiting code reports failures.
      waiting.catch(() => undefined)
    },

    /** Its request is over; `hears`: and it gets the answer. */
    async settle(hears: boolean): Promise<void> {
      isHeard = hears
      await waiting
      isHeard = true
    },

    async finish(): Promise<void> {
      while (await request(3, false));
      ledger.expectFits(filter, seen)
      ledger.expectAll(filter, seen, reported.last)
    },
  }
}
