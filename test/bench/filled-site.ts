import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SearchState } from '../../src/domain/search/search-index.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import type { fillStore } from './fill-store.ts'
import { ROOT, startProduct } from './processes.ts'
import { ABSENT, type BenchSite, createBenchSite } from './site.ts'

const sites = new Map<string, Promise<BenchSite>>()

/**
 * A site whose store has so many events, filled by the version that is measured. It is filled once for all benchmarks of a run,
 * which leave their own events in it; only `removeFilledSites` removes it. One program at a time may use it.
 * @param root of an earlier version; default: this one
 */
export async function filledSite(stored: number, root: string = ROOT): Promise<BenchSite> {
  const key = `${root} ${stored}`
  const site = sites.get(key) ?? fill(stored, root)
  sites.set(key, site)
  return { ...(await site), remove: () => undefined }
}

export async function removeFilledSites(): Promise<void> {
  for (const site of await Promise.allSettled(sites.values())) if (site.status === 'fulfilled') site.value.remove()
  sites.clear()
}

/** The search index of 5,000,000 events takes 8 minutes, beside what is measured. */
export function createSiteWithoutSearch(): Promise<BenchSite> {
  return createBenchSite(ABSENT, undefined, { search: 'off' })
}

async function fill(stored: number, root: string): Promise<BenchSite> {
  const site = await createSiteWithoutSearch()
  await fillElsewhere(root, join(site.folder, 'data/portaria.db'), stored)
  await visitAll(site, root)
  return site
}

/** The first start visits all events for the index, also where search is off. It is not what benchmarks measure. */
async function visitAll(site: BenchSite, root: string): Promise<void> {
  const served = await startProduct(site.configFile, site.logFile, { root })
  await untilIdle(served.apiPort)
  await served.stop()
}

/** Until the search index has every event. */
export async function untilIdle(apiPort: number): Promise<void> {
  const client = createApiClient(apiPort)
  await untilIndexed(client)
  client.close()
}

const LOOK_EVERY_MS = 100

/** @param events so many at least; default: all that there are */
export async function untilIndexed(client: ApiClient, events = 0): Promise<SearchState> {
  for (;;) {
    const state = await client.get<SearchState>('/v1/search')
    if (state.lagEvents === 0 && state.indexedThrough >= events) return state
    await wait(LOOK_EVERY_MS)
  }
}

/** `fillStore` in a process of its own, by the version that is measured. */
export async function fillElsewhere(
  root: string,
  file: string,
  count: number,
  destination?: Parameters<typeof fillStore>[2],
): Promise<void> {
  const args = [join(import.meta.dirname, 'fill.ts'), root, file, String(count)]
  if (destination !== undefined) args.push(JSON.stringify(destination))
  const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (code !== 0) throw new Error(`filling the store ended with ${code}`)
}
