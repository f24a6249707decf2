import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { fillStore } from './fill-store.ts'
import { ROOT } from './processes.ts'
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
  return site
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
