import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { fillStore } from './fill-store.ts'
import { ROOT } from './processes.ts'
import { type BenchSite, createBenchSite } from './site.ts'
import { ABSENT, rootOf } from './variants.ts'

const sites = new Map<string, Promise<BenchSite>>()

/**
 * A site whose store has so many events, filled by the version that is measured. It is filled once for all benchmarks of a run,
 * which leave their own events in it; `removeFilledSites` removes it. One program at a time may use it.
 */
export function filledSite(stored: number, variant: 'product' | 'before' = 'product'): Promise<BenchSite> {
  const key = `${variant} ${stored}`
  const site = sites.get(key) ?? fill(stored, variant)
  sites.set(key, site)
  return site
}

export async function removeFilledSites(): Promise<void> {
  for (const site of await Promise.allSettled(sites.values())) if (site.status === 'fulfilled') site.value.remove()
  sites.clear()
}

async function fill(stored: number, variant: 'product' | 'before'): Promise<BenchSite> {
  const site = await createBenchSite(ABSENT)
  await fillElsewhere(variant, join(site.folder, 'data/portaria.db'), stored)
  return site
}

/** `fillStore` in a process of its own, by the version that is measured. */
export async function fillElsewhere(
  variant: 'product' | 'before',
  file: string,
  count: number,
  destination?: Parameters<typeof fillStore>[2],
): Promise<void> {
  const args = [join(import.meta.dirname, 'fill.ts'), rootOf(variant) ?? ROOT, file, String(count)]
  if (destination !== undefined) args.push(JSON.stringify(destination))
  const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (code !== 0) throw new Error(`filling the store ended with ${code}`)
}
