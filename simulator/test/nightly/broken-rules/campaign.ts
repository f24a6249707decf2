import { join, resolve } from 'node:path'
import { inject } from 'vitest'
import { createVitest, type TestCase, type Vitest } from 'vitest/node'
import type { BrokenRule } from './broken-rule.ts'
import { KeptWorker } from './kept-worker.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')

export interface Campaign {
  /** Runs tests of one file by their titles, with all texts of the source as they are, or with one rule broken. */
  run(test: string, titles: readonly string[], broken?: BrokenRule): Promise<TestCase[]>
  stop(): Promise<void>
}

/** One vitest with one worker for many rules. Sources on disk stay. */
export async function startCampaign(): Promise<Campaign> {
  let broken: BrokenRule | undefined
  let worker: KeptWorker | undefined

  function breakRule(code: string, id: string): string | undefined {
    if (broken === undefined || id !== sourceOf(broken)) return undefined
    const { file, from, to } = broken
    if (code.split(from).length !== 2) throw new Error(`${file} must have this text once: ${from}`)
    return code.replace(from, () => to)
  }
  const vitest: Vitest = await createVitest(
    'test',
    {
      config: false,
      root: ROOT,
      watch: false,
      reporters: [{}],
      fsModuleCache: false,
      include: ['simulator/test/**/*.test.ts'],
      pool: {
        name: 'kept',
        createPoolWorker(options) {
          if (worker === undefined || worker.isEnded) worker = new KeptWorker(options)
          return worker
        },
      },
      maxWorkers: 1,
      restoreMocks: true,
      testTimeout: 20_000,
      hookTimeout: 30_000,
    },
    { plugins: [{ name: 'break-rule', enforce: 'pre', transform: breakRule }] },
  )
  const project = vitest.getRootProject()
  project.provide('testCa', inject('testCa'))

  function change(rule: BrokenRule | undefined): void {
    for (const one of [broken, rule]) if (one !== undefined) vitest.invalidateFile(sourceOf(one))
    broken = rule
  }

  async function run(test: string, titles: readonly string[], rule?: BrokenRule): Promise<TestCase[]> {
    change(rule)
    const testNamePattern = new RegExp(`(${titles.map(escaped).join('|')})$`)
    const file = join(ROOT, 'simulator/test', test)
    const { testModules } = await vitest.runTestSpecifications([project.createSpecification(file, { testNamePattern })])
    return testModules
      .filter(({ moduleId }) => moduleId === file)
      .flatMap(({ children }) => [...children.allTests()])
      .filter(({ name }) => titles.includes(name))
  }

  async function stop(): Promise<void> {
    await worker?.end()
    await vitest.close()
  }
  return { run, stop }
}

const sourceOf = ({ file }: BrokenRule) => join(ROOT, 'simulator/src', file)
const escaped = (title: string) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
