import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { backlog } from './backlog.ts'
import { type Benchmark, type Figures, median } from './benchmark.ts'
import { consumer } from './consumer.ts'
import { deliveries } from './deliveries.ts'
import { evidence } from './evidence.ts'
import { pages } from './pages.ts'
import { polls } from './polls.ts'
import { bigStore, cpu, durable, durableOneCore, handshakes, latency, memory, unrelated } from './receiving.ts'
import { retention } from './retention.ts'
import { search } from './search.ts'
import { simulatorCallbacks, simulatorRequests, simulatorYear } from './simulator.ts'
import { resolvedTokens, tokenCallbacks } from './tokens.ts'
import { wakeups } from './wakeups.ts'

/** `npm run bench`: every promise about speed, as ratios in one run. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    json: { type: 'string' },
    stored: { type: 'string', default: '1000000' },
    searched: { type: 'string', default: '100000' },
    tokens: { type: 'string', default: '10000' },
  },
})
const rounds = Number(values.rounds)
const stored = Number(values.stored)
const all: Benchmark[] = [
  ...[durable, durableOneCore, cpu, latency, handshakes, deliveries, memory, unrelated, wakeups, evidence],
  ...[bigStore(stored), backlog(stored), retention(stored), polls(stored), pages(stored), consumer(stored)],
  search(Number(values.searched)),
  ...[tokenCallbacks, resolvedTokens(Number(values.tokens))],
  ...[simulatorRequests, simulatorCallbacks, simulatorYear],
]
const chosen = all.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name))

const report: { name: string; rows: Row[] }[] = []
for (const benchmark of chosen) report.push({ name: benchmark.name, rows: await runBenchmark(benchmark) })
const machine = {
  date: new Date().toISOString(),
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  commit: commit(),
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, rounds, report }, null, 2)}\n`)
process.stdout.write(`\n${JSON.stringify(machine)}\n`)

interface Row {
  readonly promise: string
  readonly atLeast: string
  readonly median: number
  readonly holds: boolean
  readonly rounds: readonly number[]
}

async function runBenchmark(benchmark: Benchmark): Promise<Row[]> {
  process.stdout.write(`\n${benchmark.name}: ${benchmark.what}\n`)
  const figures: Figures[] = []
  await benchmark.run(rounds, (round) => {
    figures.push(round)
    process.stdout.write(
      `  round ${figures.length}  ${Object.entries(round)
        .map(([name, value]) => `${name} ${value}`)
        .join('   ')}\n`,
    )
  })
  const rows = benchmark.promises.map((promise) => {
    const each = figures.map((round) => Math.round(promise.value(round) * 1000) / 1000)
    const middle = median(each)
    return { promise: promise.what, atLeast: promise.limit, median: middle, holds: promise.holds(middle), rounds: each }
  })
  for (const row of rows) {
    process.stdout.write(
      `  ${row.holds ? 'holds ' : 'MISSED'}  ${row.promise}: ${row.median} (${row.atLeast}); rounds ${row.rounds.join(' ')}\n`,
    )
  }
  return rows
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    // Not a checkout.
    return 'unknown'
  }
}
