import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, inject } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { BrokenRule } from './broken-rule.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { title: string; status: string; failureMessages: readonly string[] }[]
  }[]
}

/** Expects that the named test fails while the rule is broken. */
export async function proveThatTestFails(rule: BrokenRule): Promise<void> {
  const { testResults } = await reportOf(rule)
  const run = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title }) => title === rule.title)
  expect(run.map(({ status }) => status)).toEqual(['failed'])
  // A program that does not start, or a test that times out, is no proof. `rejects` fails with the second text.
  expect(run[0]?.failureMessages.join()).toMatch(/^(AssertionError|Error: promise resolved)/)
}

/** Runs the named test while the rule is broken. */
function reportOf(rule: BrokenRule): Promise<Report> {
  const file = join(temporaryFolder(), 'report.json')
  const title = `${rule.title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
  const config = ['--config', 'test/long/broken-rules/vitest.config.ts', '--reporter', 'json', '--outputFile', file]
  const args = ['test/run-vitest', 'run', ...config, '-t', title, `test/simulator/${rule.test}`]
  const env = { ...process.env, PORTARIA_BROKEN_RULE: JSON.stringify(rule), PORTARIA_TEST_CA: inject('testCa') }
  return new Promise((resolve) => {
    // A failing test ends the program with 1: the report tells what failed.
    execFile('sh', args, { cwd: ROOT, env }, () => resolve(JSON.parse(readFileSync(file, 'utf8'))))
  })
}
