import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadParts } from '../../gateway/late-parts.ts'
import { openStore } from '../../store/open-store.ts'
import { loadCommands } from './commands.ts'

/*
 * Compiles what a gateway loads, in each of its threads, where the gateway itself cannot write the cache: without it, each thread loads the type stripper
 * at every start. systemd/install.sh runs it with the cache of bin/portaria. The threads open a temporary database.
 */

await loadCommands('serve')
await loadParts()
const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
try {
  const file = join(folder, 'portaria.db')
  const store = await openStore({ file, deduplicationWindowMs: 1000, queue: { events: 1, bytes: 1 } })
  // The first call starts the indexing thread.
  await store.prepareSearchChange('index', { limit: 1 })
  await store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
