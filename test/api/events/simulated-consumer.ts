import { expect } from 'vitest'
import { parseCursor, parseEventId } from '../../../src/domain/public-id.ts'
import { post } from '../api.ts'
import type { Filter, Ledger } from './reader-ledger.ts'
import type { ReaderWorld } from './reader-world.ts'

const LEASE_SECONDS = 2

interface Batch {
  readonly batch: string | null
  readonly data: readonly { readonly id: string }[]
}

interface Loan {
  readonly batch: string
  readonly ids: readonly string[]
  readonly expiresAt: number
  isOver: boolean
  /** The gateway was killed while it was being acknowledged. */
  isUncertain: boolean
}

export type SimulatedConsumer = ReturnType<typeof createSimulatedConsumer>

/** A consumer with two hands, which take at once and acknowledge what they have dealt with. */
export function createSimulatedConsumer(
  world: ReaderWorld,
  ledger: Ledger,
  { name, filter, now }: { name: string; filter: Filter; now: () => number },
) {
  const done: string[] = []
  let loan: Loan | null = null
  /** What was acknowledged when the gateway was killed: it counts, or comes again. */
  let uncertain: readonly string[] = []
  let asked: readonly string[] = []
  /** The last announcement of a removal that it need not be told of; null: it has not begun. */
  let toldAt: number | null = null

  /** It is behind this position: what was uncertain up to there counts. */
  function standsBehind(position: number): void {
    done.push(...uncertain.filter((id) => positionOf(id) <= position))
    uncertain = []
  }

  async function request(limit: number): Promise<Loan | null> {
    const [begunAt, knew] = [ledger.announcements(), toldAt]
    const { status, body } = await post(world.api(), `/v1/consumers/${name}/batches`, {
      limit,
      leaseSeconds: LEASE_SECONDS,
      filter: { ...filter },
    })
    if (status === 410) return goOn((JSON.parse(body) as { next: string }).next, knew ?? 0)
    expect(status, body).toBe(200)
    toldAt ??= begunAt
    const { batch, data } = JSON.parse(body) as Batch
    if (batch === null) return null
    // While a batch is leased, no other reader has one.
    expect(loan === null || loan.isOver || loan.expiresAt <= now()).toBe(true)
    const ids = data.map(({ id }) => id)
    standsBehind(positionOf(ids[0] as string) - 1)
    loan = { batch, ids, expiresAt: now() + LEASE_SECONDS * 1000, isOver: false, isUncertain: false }
    return loan
  }

  /**
   * Retention has removed something behind it.
   * @param knew announcements that it knew when it asked: of two requests at once, both may be answered so
   */
  async function goOn(next: string, knew: number): Promise<null> {
    const position = parseCursor(next)?.position as number
    ledger.expectMissed(filter, position, knew)
    standsBehind(position)
    expect((await post(world.api(), `/v1/consumers/${name}/seek`, { position: next })).status).toBe(200)
    if (loan !== null) loan.isOver = true
    toldAt = ledger.announcements()
    return null
  }

  /** Returns what follows from it once it is known to have been answered. */
  async function acknowledge(isPart: boolean): Promise<() => void> {
    asked = []
    if (loan === null) return () => undefined
    const mine = loan
    const isOut = !mine.isOver && mine.expiresAt > now()
    const ids = isPart ? mine.ids.slice(0, 1) : mine.ids
    if (isOut) asked = ids
    const body = { batch: mine.batch, ...(isPart && { position: ids[0] }) }
    const { status } = await post(world.api(), `/v1/consumers/${name}/ack`, body)
    if (mine.isUncertain && status === 200) {
      // It had not come through before.
      uncertain = []
      mine.isUncertain = false
      asked = ids
      return () => {
        mine.isOver = true
        done.push(...ids)
      }
    }
    return () => {
      expect(status).toBe(isOut ? 200 : 409)
      mine.isOver = true
      if (isOut) done.push(...ids)
    }
  }

  return {
    async take(limit: number): Promise<void> {
      const [one, other] = [await Promise.all([request(limit), request(limit)])].flat()
      expect(one === null || other === null).toBe(true)
    },

    acknowledge,

    /** The gateway was killed during an acknowledgment. */
    lose(): void {
      if (loan === null || asked.length === 0) return
      uncertain = asked
      loan.isOver = true
      loan.isUncertain = true
    },

    async finish(): Promise<void> {
      for (let answers = 0; answers < 2; ) {
        const taken = await request(3)
        if (taken === null) answers++
        else {
          answers = 0
          ;(await acknowledge(false))()
        }
      }
      // Nothing comes behind what is uncertain now, so it counted.
      standsBehind(Number.MAX_SAFE_INTEGER)
      ledger.expectFits(filter, done)
      ledger.expectAll(filter, done, toldAt ?? 0)
    },
  }
}

function positionOf(id: string): number {
  return parseEventId(id)?.position as number
}
