import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Benchmark, type Figures, median } from './benchmark.ts'
import { load, timesByThread } from './processes.ts'
import { readProfile, type Spent, STAGES, type Stage } from './profile.ts'
import { ABSENT, createBenchSite } from './site.ts'
import { LOAD, products, startVariant, type Variant } from './variants.ts'

const CONNECTIONS = 64
/** Beside the two with a profile. The reader only has the profiler's own interruptions here: its cost is in `cpu`. */
const THREADS = ['v8', 'libuv']
const SAMPLE_EVERY_US = 500
/** Killed by a signal a process writes no profile. The product ends by itself. */
const EXIT = `data:text/javascript,process.once('SIGTERM',()=>setTimeout(process.exit,500,0))`

/** The CPU time of one callback by stage and thread, from CPU profiles. The profiler itself makes everything slower by some percent. */
export const budget: Benchmark = {
  name: 'budget',
  what: `µs of CPU of a callback by stage, ${CONNECTIONS} connections: a Markdown table from CPU profiles, with a bare https handler`,
  promises: [],
  async run(rounds, tell) {
    const variants: Variant[] = [...products(), 'bare']
    const all: Figures[] = []
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {}
      for (const variant of round % 2 === 0 ? variants : variants.toReversed())
        Object.assign(figures, await profileOf(variant))
      all.push(figures)
      tell(Object.fromEntries(variants.map((variant) => [variant, sumOf(figures, variant)])))
    }
    process.stdout.write(`\n${tableOf(all, variants)}\n\n`)
  },
}

/** By variant, thread and stage: `product/main/Express`. */
async function profileOf(variant: Variant): Promise<Figures> {
  const site = await createBenchSite(ABSENT)
  const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-profiles-'))
  const served = await startVariant(variant, site, { environment: { NODE_OPTIONS: profiling(variant, folder) } })
  try {
    const loading = load({ ...LOAD, connections: CONNECTIONS, port: served.port, certs: site.certs })
    await wait(LOAD.warmUpMs + LOAD.measureMs / 8)
    const [before, from] = [timesByThread(served.pid), microseconds()]
    await wait(LOAD.measureMs / 2)
    const [after, to] = [timesByThread(served.pid), microseconds()]
    const callbacks = ((await loading).perSecond * (to - from)) / 1e6
    await served.stop()
    const each = (name: string) => ((after[name] ?? 0) - (before[name] ?? 0)) / callbacks
    const profiles = readdirSync(folder).map((file) => readProfile(join(folder, file), [from, to]))
    return {
      ...stagesOfMain(variant, profiles, each('main')),
      ...stagesOfWriter(variant, profiles, { callbacks, cpu: each('writer') }),
      ...Object.fromEntries(THREADS.map((name) => [`${variant}/threads/${name}`, each(name)])),
    }
  } finally {
    await served.stop()
    rmSync(folder, { recursive: true, force: true })
    site.remove()
  }
}

function profiling(variant: Variant, folder: string): string {
  const options = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_EVERY_US}`]
  if (variant === 'bare') options.push(`--import=${EXIT}`)
  return options.join(' ')
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Its samples only give the shares of the CPU time that the system has measured. */
function stagesOfMain(variant: Variant, profiles: readonly Spent[], cpu: number): Figures {
  const main = profiles.find((one) => one.runs('/src/main.ts') || one.runs('/servers/bare.ts'))
  if (main === undefined) throw new Error('no profile of the main thread')
  const all = [...main.stages.values()].reduce((sum, time) => sum + time, 0)
  return Object.fromEntries([...main.stages].map(([stage, time]) => [`${variant}/main/${stage}`, (time / all) * cpu]))
}

/** Its samples measure time. What the system has not counted as CPU time is the wait for the disk, within the commit, or else for a core. */
function stagesOfWriter(
  variant: Variant,
  profiles: readonly Spent[],
  { callbacks, cpu }: { callbacks: number; cpu: number },
): Figures {
  const writer = profiles.find((one) => one.runs('/threads/writer-thread.ts') && !one.runs('/src/main.ts'))
  if (writer === undefined) return {}
  const each = [...writer.stages].map(([stage, time]) => [stage, time / callbacks] as const)
  const all = each.reduce((sum, [, time]) => sum + time, 0)
  const others = all - (new Map(each).get(COMMIT) ?? 0)
  const share = Math.min(1, cpu / others)
  const spentBy = (stage: Stage, time: number) => (stage === COMMIT ? Math.max(0, cpu - others) : time * share)
  return {
    ...Object.fromEntries(each.map(([stage, time]) => [`${variant}/writer/${stage}`, spentBy(stage, time)])),
    [`${variant}/${WAITED}`]: Math.max(0, all - cpu),
  }
}

const COMMIT: Stage = 'commit: WAL, fsync'
/** Not CPU time, so not in the sum. */
const WAITED = 'waited/(the writer waits for the disk or a core)'

function sumOf(figures: Figures, variant: Variant): number {
  const cpu = Object.entries(figures).filter(([name]) => name.startsWith(`${variant}/`) && !name.includes(WAITED))
  return rounded(cpu.reduce((sum, [, value]) => sum + value, 0))
}

function tableOf(all: readonly Figures[], variants: readonly Variant[]): string {
  const columns = variants.flatMap((variant) =>
    (variant === 'bare' ? ['main'] : ['main', 'writer']).map((thread) => ({ variant, thread })),
  )
  const cell = (key: string) => {
    const values = all.map((figures) => figures[key]).filter((value) => value !== undefined)
    return values.length === 0 ? '' : String(rounded(median(values)))
  }
  /** One cell for each variant, in the column of its main thread. */
  const once = (text: (variant: Variant) => string) =>
    columns.map(({ variant, thread }) => (thread === 'main' ? text(variant) : ''))
  const stages = STAGES.map((stage) => [
    stage,
    ...columns.map(({ variant, thread }) => cell(`${variant}/${thread}/${stage}`)),
  ])
  const threads = THREADS.map((name) => [`other threads: ${name}`, ...once((one) => cell(`${one}/threads/${name}`))])
  const sum = ['**sum**', ...once((one) => String(rounded(median(all.map((figures) => sumOf(figures, one))))))]
  const waited = [WAITED.replace('waited/', ''), ...once((one) => cell(`${one}/${WAITED}`))]
  const shown = [...stages, ...threads].filter(([, ...cells]) => cells.some((text) => Number(text) > 0))
  const head = ['stage', ...columns.map(({ variant, thread }) => `${variant}: ${thread}`)]
  return [head, head.map(() => '---'), ...shown, sum, waited].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function rounded(us: number): number {
  return Math.round(us * 10) / 10
}
