import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { conformanceCommand } from '../../simulator/src/cli/conformance.ts'

const page = readFileSync(join(import.meta.dirname, '../../simulator/docs/conformance-ci.md'), 'utf8')
const [actions, gitlab] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => parse(text))

/** Sets the options of a documented command, and runs nothing. @throws CommanderError where the program would refuse them */
function options(line: string): Record<string, unknown> {
  const [, words = ''] = /(?:\$SUITE|portaria-simulator conformance) (.*)/.exec(line) ?? []
  const command = conformanceCommand()
  const quiet = (one: Command) => one.exitOverride().action(() => undefined)
  const chain = quiet(command.commands[0] as Command)
  quiet(command).parse(words.split(' '), { from: 'user' })
  return words.startsWith('chain ') ? chain.opts() : command.opts()
}

it('the pipelines of GitHub and GitLab run commands that the program takes, and keep both reports', () => {
  const steps: { run?: string; with?: { path: string }; if?: string }[] = actions.jobs.conformance.steps
  const ofActions = steps.flatMap(({ run }) => (run?.startsWith('$SUITE') ? [run] : []))
  const ofGitlab = (gitlab.conformance.script as string[]).filter((line) => line.startsWith('portaria-simulator'))
  for (const lines of [ofActions, ofGitlab])
    expect(lines.map(options)).toEqual([
      { folder: 'chains' },
      expect.objectContaining({ preset: 'instant-payment', junit: 'conformance.xml', html: 'conformance.html' }),
    ])
  expect(steps.at(-1)).toMatchObject({ if: 'always()', with: { path: 'conformance.xml\nconformance.html\n' } })
  expect(gitlab.conformance.artifacts).toEqual({
    when: 'always',
    paths: ['conformance.html'],
    reports: { junit: 'conformance.xml' },
  })
  expect(() => options('$SUITE https://localhost --junti x')).toThrow(/unknown option/)
})
