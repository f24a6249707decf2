import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import { operationsOf } from '../src/cli/operations.ts'
import type { RunningSimulator } from './running.ts'

/** Every operation and option of the control API that the pages of a folder call by name is there. @param least so many calls are in them */
export async function expectKnownCalls({ control }: RunningSimulator, folder: string, least: number): Promise<void> {
  const operations = operationsOf((await control('GET', '/openapi.json')).json)
  const pages = globSync('**/*.md', { cwd: folder }).map((page) => readFileSync(resolve(folder, page), 'utf8'))
  const calls = pages.flatMap((page) => [...page.matchAll(/portaria[ -]simulator ctl ([a-z][a-z-]+) (.*)$/gm)])
  expect(calls.length).toBeGreaterThanOrEqual(least)
  for (const [call, word, args = ''] of calls) {
    const name = word === 'show' ? `show-${args.split(' ')[0]}` : word
    const flags = operations.find((operation) => operation.name === name)?.options.map(({ flag }) => flag)
    const options = ['--json', '--environment', ...(flags ?? [`no operation ${name}`])]
    const named = [...(args.split('#')[0]?.matchAll(/--[a-z-]+/g) ?? [])].map(([flag]) => flag)
    expect(flags, call).toBeDefined()
    expect(options, call).toEqual(expect.arrayContaining(named))
  }
}
