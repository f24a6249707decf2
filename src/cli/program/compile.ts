import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { loadParts } from '../../gateway/late-parts.ts'
import { openStore } from '../../store/open-store.ts'
import '../serve.ts'

/**
 * Compiles what a gateway loads, in each of its threads, where the gateway itself cannot write the compile cache: without it, each thread compiles at every
 * start. Installations run this once, as who may write there. The threads open a temporary database.
 */
export function compileCommand(): Command {
  return new Command('compile').action(compile)
}

async function compile(): Promise<void> {
  await loadParts()
  // The first request for a page loads them.
  await import('../../pages/app.ts')
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  try {
    const file = join(folder, 'portaria.db')
    const store = await openStore({ file, deduplicationWindowMs: 1000, queue: { events: 1, bytes: 1 } })
    await store.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
