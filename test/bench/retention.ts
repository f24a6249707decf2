import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RemovalProgress } from '../../src/domain/retention.ts'
import { createApiClient } from './api-client.ts'
import { atLeast, atMost, type Benchmark, type Figures, figure, median } from './benchmark.ts'
import { fillStore } from './fill-store.ts'
import { load, type Served, startProduct } from './processes.ts'
import { createBenchSite } from './site.ts'

/** A destination that is never there. */
const ABSENT = 'http://127.0.0.1:9/hook'
const LOAD = { connections: 32, rate: 300, bodyBytes: 1024, reconnect: false, warmUpMs: 2000, measureMs: 10_000 }
const LONG_AGO_MS = 500 * 86_400_000

interface Measured {
  readonly p99Ms: number
  readonly refused: number
  readonly removedPerSecond: number
}

/** Everything in a store is old and is removed while notifications come in. The control holds as much, and all of it is new. */
export function retention(stored: number): Benchmark {
  return {
    name: 'retention',
    what: `p99 in ms of an acknowledgment at ${LOAD.rate} notifications/s, while ${stored} events are removed and while as many stay`,
    promises: [
      atMost(1.5, 'while they are removed against while they stay', (r) => figure(r, 'removing') / figure(r, 'still')),
      atMost(0, 'notifications refused', (r) => figure(r, 'refused'), 'refused'),
      atLeast(1, 'events removed against notifications', (r) => figure(r, 'removedPerSecond') / LOAD.rate),
    ],
    async run(rounds, tell) {
      const old = await createFilled(stored, LONG_AGO_MS)
      const young = await createFilled(stored, 0)
      for (let round = 0; round < rounds; round++) {
        const results: Record<string, Measured> = {}
        for (const name of round % 2 === 0 ? ['still', 'removing'] : ['removing', 'still'])
          results[name] = await measure(name === 'removing' ? old.folder : young.folder, name === 'removing')
        tell(figuresOf(results))
      }
      old.remove()
      young.remove()
    },
  }
}

async function createFilled(count: number, ageMs: number) {
  const site = await createBenchSite(ABSENT)
  const receivedAt = Date.now() - ageMs
  await fillStore(join(site.folder, 'data/portaria.db'), count, undefined, () => ({ receivedAt }))
  return site
}

/** On a copy, for what is removed is gone. */
async function measure(folder: string, isRemoving: boolean): Promise<Measured> {
  const site = await createBenchSite(ABSENT)
  mkdirSync(join(site.folder, 'data'), { mode: 0o700 })
  cpSync(join(folder, 'data/portaria.db'), join(site.folder, 'data/portaria.db'))
  const served = await startProduct(site.configFile, site.logFile)
  try {
    return await loadWhile(served, { certs: site.certs, isRemoving })
  } finally {
    await served.stop()
    site.remove()
  }
}

/** Ten seconds at a time: until everything is removed, or, where nothing is, once. */
async function loadWhile(served: Served, { certs, isRemoving }: { certs: string; isRemoving: boolean }) {
  const client = createApiClient(served.apiPort)
  const p99s: number[] = []
  let refused = 0
  let progress: RemovalProgress
  const startedAt = performance.now()
  do {
    const result = await load({ ...LOAD, port: served.port, certs })
    refused += result.refused
    p99s.push(result.p99Ms)
    progress = await client.get<RemovalProgress>('/v1/storage/prune')
  } while (isRemoving && progress.state === 'running')
  const seconds = (performance.now() - startedAt) / 1000
  client.close()
  if (isRemoving && progress.state !== 'done') throw new Error(`the removal ended as ${progress.state}`)
  return { p99Ms: median(p99s), refused, removedPerSecond: Math.round(progress.events / seconds) }
}

function figuresOf({ still, removing }: Record<string, Measured>): Figures {
  return {
    still: still?.p99Ms ?? Number.NaN,
    removing: removing?.p99Ms ?? Number.NaN,
    refused: (still?.refused ?? 0) + (removing?.refused ?? 0),
    removedPerSecond: removing?.removedPerSecond ?? 0,
  }
}
