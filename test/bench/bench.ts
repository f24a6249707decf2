import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backlog } from './backlog.ts'
import { asBefore, type Benchmark, type Figures, median, type Promised } from './benchmark.ts'
import { bigStores } from './big-store.ts'
import { budget } from './budget.ts'
import { consumer } from './consumer.ts'
import { cpu, cpuDelivered } from './cpu.ts'
import { deliveries, deliveriesOneCore } from './deliveries.ts'
import { evidence } from './evidence.ts'
import { removeFilledSites } from './filled-site.ts'
import { pages } from './pages.ts'
import { polls } from './polls.ts'
import { ROOT } from './processes.ts'
import { handshakes, memory, unrelated } from './receiving.ts'
import { retention } from './retention.ts'
import { search } from './search.ts'
import { simulatorCallbacks, simulatorRequests, simulatorYear } from './simulator.ts'
import { slowDisk } from './slow-disk.ts'
import {
  durable,
  durable256,
  durableOneCore,
  durableSoon,
  firstCallbacks,
  latency,
  latencyOneCore,
} from './throughput.ts'
import { resolvedTokens, tokenCallbacks } from './tokens.ts'
import { compareWith } from './variants.ts'
import { wakeups } from './wakeups.ts'
import { written } from './written.ts'

/** `npm run bench`: every promise about speed, as ratios in one run. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    json: { type: 'string' },
    before: { type: 'string' },
    stored: { type: 'string', default: '1000000' },
    searched: { type: 'string', default: '100000' },
    tokens: { type: 'string', default: '10000' },
  },
})
const rounds = Number(values.rounds)
const stored = Number(values.stored)
if (values.before !== undefined) compareWith(resolve(values.before))
const all: Benchmark[] = [
  ...[durable, durable256, durableOneCore, durableSoon, latency, latencyOneCore, firstCallbacks, slowDisk],
  ...[
    cpu,
    cpuDelivered,
    budget,
    written,
    handshakes,
    deliveries,
    deliveriesOneCore,
    memory,
    unrelated,
    wakeups,
    evidence,
  ],
  ...bigStores(stored),
  ...[backlog(stored), retention(stored), polls(stored), pages(stored), consumer(stored)],
  search(Number(values.searched)),
  ...[tokenCallbacks, resolvedTokens(Number(values.tokens))],
  ...[simulatorRequests, simulatorCallbacks, simulatorYear],
]

const report: Result[] = []
try {
  for (const benchmark of chosen()) report.push(await runBenchmark(benchmark))
} finally {
  await removeFilledSites()
}
const machine = {
  date: new Date().toISOString(),
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  commit: commit(ROOT),
  before: values.before === undefined ? undefined : commit(values.before),
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, rounds, report }, null, 2)}\n`)
process.stdout.write(`\n${tableOf(report)}\n${JSON.stringify(machine)}\n`)

interface Row {
  readonly promise: string
  readonly atLeast: string
  readonly median: number
  readonly holds: boolean
  readonly rounds: readonly number[]
  /** The median of the earlier version; undefined: not measured. */
  readonly before: number | undefined
}

interface Result {
  readonly name: string
  readonly seconds: number
  readonly rows: readonly Row[]
  readonly figures: readonly Figures[]
}

/** @throws if `--only` names what is not there: a misspelt benchmark is not a passed one */
function chosen(): Benchmark[] {
  if (values.only === undefined) return all
  return values.only.split(',').flatMap((name) => {
    const named = all.filter((one) => (name.endsWith('*') ? one.name.startsWith(name.slice(0, -1)) : one.name === name))
    if (named.length === 0) throw new Error(`no benchmark ${name}: ${all.map((one) => one.name).join(', ')}`)
    return named
  })
}

async function runBenchmark(benchmark: Benchmark): Promise<Result> {
  const { name, what, promises, needs = [] } = benchmark
  process.stdout.write(`\n${name}: ${what}\n`)
  const missing = needs.filter((program) => spawnSync(program, ['--version']).error !== undefined)
  if (missing.length > 0) {
    process.stdout.write(`  SKIPPED  needs ${missing.join(', ')}\n`)
    return { name, seconds: 0, rows: [], figures: [] }
  }
  const from = performance.now()
  const figures: Figures[] = []
  await benchmark.run(rounds, (round) => {
    figures.push(round)
    const texts = Object.entries(round).map(([figure, value]) => `${figure} ${value}`)
    process.stdout.write(`  round ${figures.length}  ${texts.join('   ')}\n`)
  })
  const rows = promises.map((promise) => rowOf(promise, figures))
  for (const { promise, atLeast, median: middle, holds, rounds: each, before } of rows) {
    const earlier = before === undefined ? '' : `; before ${before}`
    const word = holds ? 'holds ' : 'MISSED'
    process.stdout.write(`  ${word}  ${promise}: ${middle} (${atLeast}); rounds ${each.join(' ')}${earlier}\n`)
  }
  const seconds = Math.round((performance.now() - from) / 1000)
  process.stdout.write(`  took ${seconds} s\n`)
  return { name, seconds, rows, figures }
}

function rowOf(promise: Promised, figures: readonly Figures[]): Row {
  const rounded = (round: Figures) => Math.round(promise.value(round) * 1000) / 1000
  const each = figures.map(rounded)
  const middle = median(each)
  const earlier = figures.map(asBefore).filter((round) => round !== null)
  return {
    ...{ promise: promise.what, atLeast: promise.limit, median: middle, holds: promise.holds(middle), rounds: each },
    before: earlier.length === 0 ? undefined : median(earlier.map(rounded)),
  }
}

/** As `docs/performance.md` has it. */
function tableOf(results: readonly Result[]): string {
  const lines = results.flatMap(({ name, rows, seconds }) =>
    rows.map(({ promise, atLeast, median: middle, rounds: each, holds, before }) => {
      const spread = each.length > 1 ? ` (${Math.min(...each)} to ${Math.max(...each)})` : ''
      const cells = [`\`${name}\``, promise, atLeast, before ?? '', `${middle}${spread}`, holds ? 'holds' : 'misses']
      return `| ${cells.join(' | ')} | ${seconds} s |`
    }),
  )
  const head = ['benchmark', 'promise', 'limit', 'before', 'measured (rounds)', '', 'took']
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines].join('\n')
}

function commit(folder: string): string {
  try {
    return execFileSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    // Not a checkout.
    return 'unknown'
  }
}
