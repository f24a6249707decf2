import { writeFileSync } from 'node:fs'
import { type Figures, median } from '../benchmark.ts'
import { describeMachine } from '../machine.ts'
import { readOptions } from '../options.ts'
import { missingPackages, packageVersions } from './debian.ts'
import { measureForwarder } from './forwarding.ts'
import { measureReceiver } from './receiving.ts'
import { FORWARDERS, RECEIVERS, type Variant } from './variants.ts'

/** `npm run bench:peers`: Portaria beside what a user would pick instead, each with its durable settings, in one run. */
const values = readOptions({
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '4' },
  jobs: { type: 'string', default: '150000' },
  only: { type: 'string' },
  json: { type: 'string' },
})
const [rounds, seconds, jobs] = [values.rounds, values.seconds, values.jobs].map(Number) as [number, number, number]
const PRODUCT = 'Portaria'

interface Column {
  readonly title: string
  readonly figures: readonly string[]
  readonly digits?: number
  /** Also says the first figure as a multiple of Portaria's. */
  readonly isRatio?: boolean
}

const COST: readonly Column[] = [
  { title: 'CPU, µs', figures: ['cpuUs'], isRatio: true },
  { title: 'memory, MiB', figures: ['memoryMiB'], isRatio: true },
]
const RECEIVING: readonly Column[] = [
  { title: 'callbacks/s', figures: ['perSecond'], isRatio: true },
  { title: 'on one core', figures: ['oneCorePerSecond'], isRatio: true },
  { title: '1 connection: p50, p99 in ms', figures: ['p50Ms', 'p99Ms'], digits: 2, isRatio: true },
  { title: 'syncs: 1 connection, 64', figures: ['syncs1', 'syncs64'], digits: 2 },
  ...COST,
  { title: 'kill -9: acknowledged, missing', figures: ['acknowledged', 'missing'] },
]
const FORWARDING: readonly Column[] = [{ title: 'deliveries/s', figures: ['perSecond'], isRatio: true }, ...COST]

const missing = missingPackages()
if (missing.length > 0) say(`missing programs: apt-get install ${missing.join(' ')}`)
const machine = { ...describeMachine(), packages: packageVersions() }
say(JSON.stringify(machine))
const receiving = await measureAll(RECEIVERS, (receiver) => measureReceiver(receiver, seconds))
const forwarding = await measureAll(FORWARDERS, (forwarder) => measureForwarder(forwarder, seconds, jobs))
if (values.json !== undefined) {
  const report = { machine, rounds, seconds, receiving, forwarding }
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}
say(`\n${tableOf(receiving, RECEIVING)}\n\n${tableOf(forwarding, FORWARDING)}`)

type Measured = Readonly<Record<string, readonly Figures[]>>

/** The figures of each round by variant. Every round begins with another one. */
async function measureAll<V extends Variant>(all: readonly V[], measure: (variant: V) => Promise<Figures>) {
  const chosen = all.filter(isChosen)
  const results: Record<string, Figures[]> = Object.fromEntries(chosen.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < chosen.length; i++) {
      const variant = chosen[(i + round) % chosen.length] as V
      const figures = await measure(variant)
      const texts = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 1000) / 1000}`)
      say(`round ${round + 1}  ${variant.name}  ${texts.join('   ')}`)
      results[variant.name]?.push(figures)
    }
  }
  return results
}

function isChosen({ name, needs }: Variant): boolean {
  const isWanted = values.only === undefined || values.only.split(',').includes(name)
  const lacking = needs.filter((one) => missing.includes(one))
  if (isWanted && lacking.length > 0) say(`left out: ${name}, which needs ${lacking.join(', ')}`)
  return isWanted && lacking.length === 0
}

/** Medians of the rounds, compared with Portaria where that was measured. */
function tableOf(measured: Measured, columns: readonly Column[]): string {
  const product = measured[PRODUCT] ?? null
  const rows = Object.entries(measured).map(([name, each]) => {
    const cells = columns.map((column) => cellOf(column, each, each === product ? null : product))
    return `| ${[name, ...cells].join(' | ')} |`
  })
  const head = ['variant', ...columns.map(({ title }) => title)]
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
}

/** Empty where it was not measured. @param product with which it is compared */
function cellOf(
  { figures, digits = 0, isRatio = false }: Column,
  each: readonly Figures[],
  product: readonly Figures[] | null,
): string {
  const [first = ''] = figures
  if (each.some((round) => round[first] === undefined)) return ''
  const texts = figures.map((name) =>
    median(each.map((round) => round[name] ?? Number.NaN)).toLocaleString('en', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
  )
  const ratios = each.map((round, i) => (round[first] ?? Number.NaN) / (product?.[i]?.[first] ?? Number.NaN))
  return `${texts.join(', ')}${isRatio && product !== null ? ` (${median(ratios).toFixed(2)} ×)` : ''}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
