import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// How long the counts for metrics take, in ms, the median of many: node snapshot.ts CHECKOUT FILE. No gateway may run.

const REPETITIONS = 51
const [root, file] = process.argv.slice(2) as [string, string]
const module = pathToFileURL(join(root, 'src/store/open-store.ts')).href
const { openStore } = (await import(module)) as typeof import('../../../src/store/open-store.ts')
const store = await openStore({ file, deduplicationWindowMs: 86_400_000, queue: { events: 1000, bytes: 1 << 24 } })
const times: number[] = []
for (let i = 0; i < REPETITIONS; i++) {
  const from = performance.now()
  await store.takeSnapshot()
  times.push(performance.now() - from)
}
await store.close()
const milliseconds = times.sort((a, b) => a - b)[Math.floor(REPETITIONS / 2)] ?? 0
process.stdout.write(`${JSON.stringify({ milliseconds: Math.round(milliseconds * 100) / 100 })}\n`)
