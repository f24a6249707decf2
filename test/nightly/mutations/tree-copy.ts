import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Mutation } from './mutation.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** For each file of tests: a mutation that makes a program wait for ever is not waited for. */
const LIMIT_MS = 120_000

/** What tests said. */
export interface TestRun {
  readonly passed: number
  /** Their titles. */
  readonly failed: readonly string[]
  /** Why there is no proof: nothing was tested; null: tests ran. */
  readonly problem: string | null
}

/** A copy of the files of the repository, in which one mutation at a time is applied. The packages are those of the repository. */
export interface TreeCopy {
  /** Runs the tests of the mutation with it, or all these tests with the source as it is. */
  run(what: Mutation | readonly string[]): Promise<TestRun>
  remove(): void
}

export function copyTree(): TreeCopy {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-mutations-'))
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const names = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
  for (const name of names.split('\0').filter((one) => one !== '')) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    copyFileSync(join(ROOT, name), join(folder, name))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

  async function runMutation(mutation: Mutation): Promise<TestRun> {
    const file = join(folder, 'src', mutation.file)
    const before = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      before.replace(mutation.text, () => mutation.instead),
    )
    try {
      return await runTests(folder, mutation.tests)
    } finally {
      writeFileSync(file, before)
    }
  }

  return {
    run: (what) => ('tests' in what ? runMutation(what) : runTests(folder, what)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The quick tests first: when one of them has failed, the others are not run. */
async function runTests(folder: string, tests: readonly string[]): Promise<TestRun> {
  const kinds = [
    { config: 'vitest.config.ts', files: tests.filter((test) => !test.includes('.process.')) },
    { config: 'vitest.process.config.ts', files: tests.filter((test) => test.includes('.process.')) },
  ]
  let passed = 0
  for (const { config, files } of kinds) {
    if (files.length === 0) continue
    const run = await runVitest(folder, config, files)
    passed += run.passed
    if (run.failed.length > 0 || run.problem !== null) return { ...run, passed }
  }
  return { passed, failed: [], problem: null }
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

async function runVitest(folder: string, config: string, files: readonly string[]): Promise<TestRun> {
  const report = join(folder, 'mutation-report.json')
  rmSync(report, { force: true })
  const names = files.map((file) => `test/${file}`)
  const options = ['--config', config, '--maxWorkers', '1', '--bail', '1', '--reporter', 'json', '--outputFile', report]
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|PORTARIA_)/.test(name)),
  )
  const child = spawn('test/run-vitest', ['run', ...names, ...options], {
    cwd: folder,
    env,
    stdio: 'ignore',
    detached: true,
  })
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LIMIT_MS * files.length)
  await once(child, 'close')
  clearTimeout(timer)
  return readReport(report)
}

function readReport(file: string): TestRun {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: [], problem: 'the tests did not end' }
  }
  const { numPassedTests: passed, testResults } = report
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  const unread = testResults.find(({ assertionResults, message }) => assertionResults.length === 0 && message !== '')
  return { passed, failed, problem: failed.length === 0 && unread !== undefined ? unread.message : null }
}
