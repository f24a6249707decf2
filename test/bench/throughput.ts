import { atLeast, atMost, type Benchmark, type Figures, figure, type Promised, reported } from './benchmark.ts'
import { load } from './processes.ts'
import {
  alternate,
  LOAD,
  type Measured,
  medians,
  medianTurn,
  perSecond,
  products,
  type Variant,
  withRunning,
} from './variants.ts'

const ratio = (to: string) => (r: Figures) => figure(r, 'product') / figure(r, to)
const naive = (minimum: number): Promised => atLeast(minimum, 'against the naive way', ratio('naive'))
const bare = (minimum: number): Promised =>
  atLeast(minimum, 'against a bare https handler that stores nothing', ratio('bare'))

export const durable: Benchmark = {
  name: 'durable',
  what: 'durable, acknowledged notifications/s, 64 keep-alive mTLS connections, 1 KB JSON',
  promises: [
    naive(4),
    reported('against a bare https handler that stores nothing', ratio('bare')),
    atLeast(1.5, "the generator's ceiling against the product", (r) => figure(r, 'nothing') / figure(r, 'product')),
  ],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive', 'bare', 'nothing'], { connections: 64 }, (results) =>
      tell(perSecond(results)),
    ),
}

export const durable256: Benchmark = {
  name: 'durable-256',
  what: 'the same with 256 connections',
  promises: [naive(4.7), reported('against a bare https handler that stores nothing', ratio('bare'))],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive', 'bare'], { connections: 256 }, (results) => tell(perSecond(results))),
}

export const durableOneCore: Benchmark = {
  name: 'durable-one-core',
  what: 'durable, acknowledged notifications/s, 64 connections, the server on one core; the generator has the others',
  promises: [naive(3), bare(0.36)],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive', 'bare'], { connections: 64, isOneCore: true }, (results) =>
      tell(perSecond(results)),
    ),
}

export const latency: Benchmark = {
  name: 'latency',
  what: 'median latency in ms with 1 connection',
  promises: [atMost(1.6, 'against the naive way', ratio('naive'))],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive'], { connections: 1 }, (results) => tell(medians(results))),
}

export const latencyOneCore: Benchmark = {
  name: 'latency-one-core',
  what: 'the same with the server on one core; the generator has the others',
  promises: [atMost(1.5, 'against the naive way', ratio('naive'))],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'naive'], { connections: 1, isOneCore: true }, (results) => tell(medians(results))),
}

const SOON = { ...LOAD, warmUpMs: 500, measureMs: 1000 }
const FRESH_TURNS = 3

export const durableSoon: Benchmark = {
  name: 'durable-soon',
  what: 'durable, acknowledged notifications/s of a fresh process, 64 connections, from 0.5 s to 1.5 s after the first',
  promises: [
    reported('against the naive way', ratio('naive')),
    reported('against a bare https handler that stores nothing', ratio('bare')),
  ],
  run: (rounds, tell) =>
    inFreshProcesses(rounds, ['naive', 'bare'], { ...SOON, connections: 64 }, (results) => tell(perSecond(results))),
}

/** Of a server that takes few callbacks, so that V8 has compiled little: 200 over 10 s. */
const FIRST = { ...LOAD, warmUpMs: 0, rate: 20, requests: 200, connections: 1 }

export const firstCallbacks: Benchmark = {
  name: 'first-callbacks',
  what: 'median latency in ms of the first 200 callbacks of a fresh process, 1 connection, some 20/s',
  promises: [reported('against the naive way', ratio('naive'))],
  run: (rounds, tell) => inFreshProcesses(rounds, ['naive'], FIRST, (results) => tell(medians(results)), 1),
}

/** Each turn has processes of its own: nothing is compiled when it begins. The variants of a turn run one after the other. */
async function inFreshProcesses(
  rounds: number,
  others: readonly Variant[],
  options: Omit<Parameters<typeof load>[0], 'port' | 'certs'>,
  tell: (results: Record<string, Measured>) => void,
  turns = FRESH_TURNS,
): Promise<void> {
  const variants = [...products(), ...others]
  for (let round = 0; round < rounds; round++) {
    const results: Record<string, Measured[]> = {}
    for (let turn = 0; turn < turns; turn++) {
      for (const variant of (turn + round) % 2 === 0 ? variants : variants.toReversed()) {
        await withRunning([variant], {}, async ({ [variant]: running }) => {
          if (running === undefined) return
          const { served, site } = running
          const result = await load({ ...options, port: served.port, certs: site.certs })
          results[variant] = [...(results[variant] ?? []), result]
        })
      }
    }
    tell(Object.fromEntries(Object.entries(results).map(([name, all]) => [name, medianTurn(all)])))
  }
}
