import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { asBefore, type Benchmark, type Figures, median, type Promised } from './benchmark.ts'
import { removeFilledSites } from './filled-site.ts'
import { benchmarkGroups } from './groups.ts'
import { commit, describeMachine } from './machine.ts'
import { readOptions } from './options.ts'
import { shipped } from './shipped.ts'
import { compareWith, fillStoresWith } from './variants.ts'

/** `npm run bench`: every promise about speed, as ratios in one run. */
const values = readOptions({
  rounds: { type: 'string', default: '5' },
  only: { type: 'string' },
  json: { type: 'string' },
  before: { type: 'string' },
  stored: { type: 'string', default: '1000000' },
  shipped: { type: 'boolean', default: false },
  filled: { type: 'boolean', default: false },
  searched: { type: 'string', default: '100000' },
  tokens: { type: 'string', default: '10000' },
})
const rounds = Number(values.rounds)
const stored = Number(values.stored)
if (values.before !== undefined) compareWith(resolve(values.before))
if (values.filled) fillStoresWith(stored)
const groups = benchmarkGroups({ stored, searched: Number(values.searched), tokens: Number(values.tokens) })

const report: Result[] = []
try {
  for (const benchmark of chosen()) report.push(await runBenchmark(benchmark))
} finally {
  await removeFilledSites()
}
const machine = { ...describeMachine(), before: values.before === undefined ? undefined : commit(values.before) }
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, rounds, report }, null, 2)}\n`)
const minutes = Math.round(report.reduce((sum, { seconds }) => sum + seconds, 0) / 60)
process.stdout.write(`\n${tableOf(report)}\n\ntook ${minutes} min\n${JSON.stringify(machine)}\n`)

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
function chosen(): readonly Benchmark[] {
  if (values.shipped) return [shipped]
  const all = Object.values(groups).flat()
  if (values.only === undefined) return all
  return values.only.split(',').flatMap((name) => {
    const named = groups[name] ?? all.filter((one) => one.name === name)
    if (named.length > 0) return named
    throw new Error(`no benchmark ${name}: ${[...Object.keys(groups), ...all.map((one) => one.name)].join(', ')}`)
  })
}

async function runBenchmark(benchmark: Benchmark): Promise<Result> {
  const { name, what, promises, needs = [], missing: whatElse = () => null } = benchmark
  process.stdout.write(`\n${name}: ${what}\n`)
  const programs = needs.filter((program) => spawnSync(program, ['--version']).error !== undefined)
  const missing = [...programs, ...[whatElse()].filter((other) => other !== null)]
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
    promise: promise.what,
    atLeast: promise.limit,
    median: middle,
    holds: promise.holds(middle),
    rounds: each,
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
