import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A tick of /proc on Linux (sysconf _SC_CLK_TCK is 100). */
const TICK_US = 10_000

interface Process {
  readonly pid: number
  readonly parent: number
  /** Of all its threads and its ended children. */
  readonly cpuUs: number
}

/** These processes, as far as they run, and all that they started. */
function treeOf(roots: readonly number[]): readonly Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)) ?? [])
  const tree = all.filter(({ pid }) => roots.includes(pid))
  // What is pushed is visited, too.
  for (const { pid } of tree) tree.push(...all.filter((one) => one.parent === pid && !tree.includes(one)))
  return tree
}

/** null: it has ended. */
function processOf(pid: number): Process | null {
  const [, stat = ''] = textOf(`/proc/${pid}/stat`).split(/\) (?!.*\) )/)
  const fields = stat.split(' ')
  if (stat === '' || fields[0] === 'Z') return null
  const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0)
  return { pid, parent: Number(fields[1]), cpuUs: ticks * TICK_US }
}

export function cpuOf(roots: readonly number[]): number {
  return treeOf(roots).reduce((sum, { cpuUs }) => sum + cpuUs, 0)
}

/** Proportional memory in MiB: a page that n processes share counts as 1/n of a page in each. */
export function memoryOf(roots: readonly number[]): number {
  const kibs = treeOf(roots).map(({ pid }) => Number(/^Pss: +(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1]))
  return Math.round(kibs.reduce((sum, kib) => sum + (kib || 0), 0) / 1024)
}

/** kill -9 of all of them at once. @param roots children of this process, which it reaps: their ids are free afterwards */
export async function killTree(roots: readonly number[]): Promise<void> {
  await killAll(treeOf(roots))
  while (roots.some((pid) => existsSync(`/proc/${pid}`))) await wait(10)
}

/** Whatever this process started, when it fails. */
export async function killChildren(): Promise<void> {
  await killAll(treeOf([process.pid]).slice(1))
}

async function killAll(tree: readonly Process[]): Promise<void> {
  for (const { pid } of tree) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  while (tree.some(({ pid }) => processOf(pid) !== null)) await wait(10)
}

/** Empty where the process has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
