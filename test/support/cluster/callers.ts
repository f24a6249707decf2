import { Agent, request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { serviceCredentials, type TestSite } from '../gateway.ts'

/** A callback that the service sends until it gets a 200. */
export interface Sent {
  readonly key: string
  readonly subject: string
  readonly begunAt: number
  /** When it was acknowledged; null: not yet. Both by the monotonic clock. */
  endedAt: number | null
  /** What came before: statuses, and codes of errors. */
  readonly failures: (number | string)[]
}

export interface Callers {
  readonly sent: readonly Sent[]
  /** Ends each caller behind the callback that it is at. */
  stop(): Promise<void>
}

export interface CallersOptions {
  readonly port: number
  readonly site: TestSite
  readonly count: number
  readonly subjects: number
  readonly random: () => number
  /** Between two callbacks of one caller. */
  readonly pauseMs: number
}

/** The service may wait for minutes; here a caller comes back soon, so that the time without an answer is the gateway's. */
const AGAIN_MS = 100

/** Mutual TLS callers, each with one callback at a time: the next one begins when the last was acknowledged. */
export function startCallers({ port, site, count, subjects, random, pauseMs }: CallersOptions): Callers {
  const sent: Sent[] = []
  let isOver = false
  const credentials = serviceCredentials(site)

  async function call(): Promise<void> {
    let agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver) {
      const one = next()
      for (;;) {
        const outcome = await callOnce(one, agent)
        if (outcome === 200) break
        one.failures.push(outcome)
        // As a caller that is refused connects again, the balancer chooses again.
        agent.destroy()
        agent = new Agent({ keepAlive: true, maxSockets: 1 })
        await wait(AGAIN_MS)
      }
      one.endedAt = performance.now()
      await wait(pauseMs)
    }
    agent.destroy()
  }

  function next(): Sent {
    const key = String(sent.length + 1)
    const subject = `subject-${Math.floor(random() * subjects)}`
    const one: Sent = { key, subject, begunAt: performance.now(), endedAt: null, failures: [] }
    sent.push(one)
    return one
  }

  function callOnce({ key, subject }: Sent, agent: Agent): Promise<number | string> {
    const at = { host: '127.0.0.1', port, path: '/callbacks/payment', method: 'POST', agent, servername: 'localhost' }
    return new Promise((resolve) => {
      request({ ...at, ...credentials })
        .on('response', (response) => response.resume().on('close', () => resolve(response.statusCode ?? 0)))
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
        .end(JSON.stringify({ identificador: subject, key, status: { atual: 'LIQUIDADO' } }))
    })
  }

  const running = Array.from({ length: count }, call)
  return {
    sent,
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

/** The callback that has waited for its 200 for longest since `from`, up to now; in ms. */
export function longestWait(
  sent: readonly Sent[],
  from: number,
): { ms: number; key: string; failures: Sent['failures'] } {
  const now = performance.now()
  const waits = sent
    .filter(({ endedAt }) => endedAt === null || endedAt >= from)
    .map(({ key, begunAt, endedAt, failures }) => ({
      ms: Math.round((endedAt ?? now) - Math.max(begunAt, from)),
      key,
      failures,
    }))
  return waits.reduce((longest, one) => (one.ms > longest.ms ? one : longest), { ms: 0, key: '', failures: [] })
}
