import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { parseEventId } from '../../../src/domain/public-id.ts'

export interface Arrival {
  readonly position: number
  readonly attempt: number
  readonly subject: string
  readonly isAccepted: boolean
  /** By the monotonic clock. */
  readonly at: number
}

export interface ClusterReceiver {
  readonly name: string
  readonly url: string
  readonly order: 'subject' | 'none'
  readonly arrivals: readonly Arrival[]
}

export interface ReceiverOptions {
  readonly name: string
  readonly order: ClusterReceiver['order']
  readonly delayMs: number
  /** The part that it refuses. */
  readonly refused: number
  readonly random: () => number
}

/** A destination that remembers what came. */
export async function startClusterReceiver(options: ReceiverOptions): Promise<ClusterReceiver> {
  const { name, order, delayMs, refused, random } = options
  const arrivals: Arrival[] = []
  const listener: RequestListener = async (request, response) => {
    try {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { identificador: string }
      const isAccepted = random() >= refused
      arrivals.push({
        position: parseEventId(String(request.headers['webhook-id']))?.position ?? 0,
        attempt: Number(request.headers['portaria-attempt']),
        subject: body.identificador,
        isAccepted,
        at: performance.now(),
      })
      await wait(delayMs)
      response.writeHead(isAccepted ? 200 : 500).end()
    } catch {
      // The node was killed while it sent.
      response.destroy()
    }
  }
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { name, order, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, arrivals }
}

/** The longest time without a request since `from`, up to the last one; callbacks come all the time. */
export function longestSilence({ arrivals }: ClusterReceiver, from: number): number {
  let [longest, before] = [0, from]
  for (const { at } of arrivals) {
    if (at < from) continue
    longest = Math.max(longest, at - before)
    before = at
  }
  return Math.round(longest)
}

/** Events of one subject that came for the first time after a later one had. */
export function arrivedOutOfOrder({ name, arrivals }: ClusterReceiver): string[] {
  const highest = new Map<string, number>()
  const seen = new Set<number>()
  return arrivals.flatMap(({ subject, position }) => {
    if (seen.has(position)) return []
    seen.add(position)
    const before = highest.get(subject) ?? 0
    highest.set(subject, Math.max(before, position))
    return position < before ? [`${name}, ${subject}: ${position} after ${before}`] : []
  })
}
