import { setTimeout as wait } from 'node:timers/promises'
import { parseEventId } from '../../../src/domain/public-id.ts'
import { askApi, type ClusterNode } from './nodes.ts'
import { UNSYNCED_MS } from './verdict.ts'

export interface ClusterReaders {
  /** What each poller has seen, in its order. */
  readonly pollers: readonly (readonly number[])[]
  /** What the workers of the consumer did, in the order in which they knew of it. */
  readonly steps: readonly ConsumerStep[]
  /** Reads on until `isDone`, and ends. */
  finish(isDone: () => boolean): Promise<void>
}

export type ConsumerStep =
  | Taken
  /** Sent: it may be acknowledged from now on. */
  | { readonly what: 'acknowledging'; readonly last: number }
  | { readonly what: 'acknowledged'; readonly last: number }

interface Taken {
  readonly what: 'took'
  readonly positions: readonly number[]
  /** When the request was sent, and its answer came; by the monotonic clock. */
  readonly sentAt: number
  readonly at: number
}

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next: string
}

interface Batch {
  readonly batch: string | null
  readonly data: readonly { readonly id: string }[]
}

const AGAIN_MS = 200
const WORKERS = 2
const LEASE_SECONDS = 20

/** Pollers that keep their cursor, and workers of one consumer. Each asks another node at each request. */
export function startReaders(nodes: readonly ClusterNode[], pollerCount: number, random: () => number): ClusterReaders {
  const pollers = Array.from({ length: pollerCount }, (): number[] => [])
  const steps: ConsumerStep[] = []
  let isOver = () => false

  /** @returns null where there is no answer, or not this status */
  async function ask<T>(target: string, options: { body?: unknown } = {}): Promise<T | null> {
    const node = nodes[Math.floor(random() * nodes.length)] as ClusterNode
    const at = { port: node.ports.api, site: node.site }
    const answer = await askApi(at, target, options).catch(() => null)
    if (answer?.status === 200) return JSON.parse(answer.body) as T
    await wait(AGAIN_MS)
    return null
  }

  async function poll(seen: number[]): Promise<void> {
    let after = ''
    while (!isOver()) {
      const page = await ask<Page>(`/v1/events?wait=2${after}`)
      if (page === null) continue
      seen.push(...positionsOf(page))
      after = `&after=${encodeURIComponent(page.next)}`
    }
  }

  async function work(): Promise<void> {
    while (!isOver()) {
      const request = { limit: 50, wait: 2, leaseSeconds: LEASE_SECONDS }
      const sentAt = performance.now()
      const batch = await ask<Batch>('/v1/consumers/workers/batches', { body: request })
      if (batch?.batch == null) continue
      const positions = positionsOf(batch)
      const last = positions.at(-1) as number
      steps.push({ what: 'took', positions, sentAt, at: performance.now() }, { what: 'acknowledging', last })
      if ((await ask('/v1/consumers/workers/ack', { body: { batch: batch.batch } })) === null) continue
      steps.push({ what: 'acknowledged', last })
    }
  }

  const running = [...pollers.map(poll), ...Array.from({ length: WORKERS }, work)]
  return {
    pollers,
    steps,
    async finish(isDone) {
      isOver = isDone
      await Promise.all(running)
    },
  }
}

function positionsOf({ data }: Pick<Page, 'data'>): number[] {
  return data.map(({ id }) => parseEventId(id)?.position ?? 0)
}

/** What the poller missed, saw twice or saw out of order; none for a sound one. @param stored positions in order */
export function faultsOfPoller(seen: readonly number[], stored: readonly number[]): string[] {
  const at = stored.findIndex((position, index) => seen[index] !== position)
  if (at !== -1) return [`after ${stored[at - 1]} came ${seen[at]} instead of ${stored[at]}`]
  return seen.length > stored.length ? [`${seen[stored.length]} is not stored`] : []
}

/** Where a batch did not begin behind what was acknowledged before it, or was in two hands. */
export function faultsOfConsumer(
  steps: readonly ConsumerStep[],
  stored: readonly number[],
  crashes: readonly number[],
): string[] {
  const faults: string[] = []
  /** Where it may be. An acknowledgment whose answer was lost counts, or does not. */
  let places = new Set([0])
  let before: Taken | null = null
  for (const step of steps) {
    if (step.what === 'acknowledging') places.add(step.last)
    else if (step.what === 'acknowledged') places = new Set([...places].filter((place) => place >= step.last))
    else {
      const start = stored.indexOf(step.positions[0] as number)
      const expected = stored.slice(start, start + step.positions.length)
      const isBehind = places.has(start === 0 ? 0 : (stored[start - 1] as number))
      const isForgotten = crashes.some((crash) => Math.abs(crash - (before?.at ?? 0)) < UNSYNCED_MS)
      const isLeased = before !== null && step.at < before.sentAt + LEASE_SECONDS * 1000 && !isForgotten
      if (isLeased && (step.positions[0] as number) <= (before?.positions.at(-1) as number))
        faults.push(`took ${step.positions[0]} again before its lease was over`)
      before = step
      if (!isBehind || step.positions.join() !== expected.join())
        faults.push(
          `took ${step.positions[0]} to ${step.positions.at(-1)}, acknowledged was ${[...places].join(' or ')}`,
        )
    }
  }
  return faults
}
