/**
 * Breaks rules of the simulator one at a time, in copies of this tree, and expects the named test to fail.
 *   bin/node test/simulator/broken-rules.ts [part of a rule's name or file]
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { BROKEN_RULES, type BrokenRule } from './broken-rules-list.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts', 'vitest.shared.ts']
const TREES = 2

interface TestResult {
  readonly fullName: string
  readonly status: string
}

const [wanted = ''] = process.argv.slice(2)
const rules = BROKEN_RULES.filter(({ rule, file }) => rule.includes(wanted) || file.includes(wanted))
if (rules.length === 0) throw new Error(`no rule is named ${wanted}`)
const folder = mkdtempSync(join(tmpdir(), 'portaria-broken-rules-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const trees = Array.from({ length: TREES }, (_, index) => copyTree(join(folder, String(index))))
const problems = await problemsOfWhole(trees[0] as string)
if (problems.length === 0) {
  const waiting = [...rules]
  await Promise.all(
    trees.map(async function work(tree) {
      for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) {
        const problem = await problemOf(tree, rule)
        process.stdout.write(`${problem === null ? 'found ' : 'MISSED'}  ${rule.file}: ${rule.rule}\n`)
        if (problem !== null) problems.push(`${rule.file}: ${rule.rule}: ${problem}`)
      }
    }),
  )
}
process.stdout.write(problems.length === 0 ? `${rules.length} rules broken, each found by its test\n` : '')
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1

function copyTree(tree: string): string {
  for (const name of COPIED) cpSync(join(ROOT, name), join(tree, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  return tree
}

/** Without a broken rule every named test passes. */
async function problemsOfWhole(tree: string): Promise<string[]> {
  const results = await runTests(tree, rules)
  return rules.flatMap(({ test, title }) => {
    const named = results.filter(({ fullName }) => fullName.includes(title))
    if (named.length > 0 && named.every(({ status }) => status === 'passed')) return []
    return [`${test}: ${title}: ${named.length === 0 ? 'no such test ran' : 'fails although nothing is broken'}`]
  })
}

/** null: the named test fails while the rule is broken. */
async function problemOf(tree: string, rule: BrokenRule): Promise<string | null> {
  const file = join(tree, 'src/simulator', rule.file)
  const source = readFileSync(file, 'utf8')
  if (source.split(rule.text).length !== 2) return `its text does not occur exactly once: ${rule.text}`
  writeFileSync(
    file,
    source.replace(rule.text, () => rule.instead),
  )
  try {
    const results = await runTests(tree, [rule])
    const named = results.filter(({ fullName }) => fullName.includes(rule.title))
    // A source that does not load fails no single test.
    if (named.length === 0) return `no test ran in ${rule.test}`
    return named.some(({ status }) => status === 'failed') ? null : `${rule.test} passes: ${rule.title}`
  } finally {
    writeFileSync(file, source)
  }
}

/** Runs the tests with the titles of the rules, in one process. */
async function runTests(tree: string, named: readonly BrokenRule[]): Promise<TestResult[]> {
  const files = new Set(named.map(({ test }) => join('test/simulator', test)))
  const titles = named.map(({ title }) => escaped(title)).join('|')
  const report = join(tree, 'report.json')
  rmSync(report, { force: true })
  const args = ['run', ...files, '-t', titles, '--reporter=json', `--outputFile=${report}`]
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    ...{ cwd: tree, stdio: 'ignore' },
  })
  await new Promise((ended) => child.once('close', ended))
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { assertionResults: TestResult[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

/** For a regular expression. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
