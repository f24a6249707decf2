import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type CommandNode, treeOf, withDescendants } from '../../src/cli/program/command-tree.ts'
import { SCRIPTS } from '../../src/cli/shell/scripts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { everyCommand } from './every-command.ts'

const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0

let tree: CommandNode
beforeAll(async () => {
  const [first] = await everyCommand()
  if (first === undefined) throw new Error('there is no command')
  tree = treeOf(first)
})

/** What bash offers for each of the lines, whose last word is still being typed; `FILE`: names of files. */
function offeredFor(lines: readonly (readonly string[])[]): string[] {
  const file = join(temporaryFolder(), 'completion.bash')
  writeFileSync(file, SCRIPTS.bash(tree))
  const calls = lines.map((words) => `offer ${words.map((word) => `'${word}'`).join(' ')}`)
  const script = [
    `source ${file}`,
    // Outside of a real completion it fails; it would add names of files.
    'compopt() { [[ "$*" == "-o default" ]] && added=FILE; }',
    `offer() { added=; COMPREPLY=(); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _portaria; echo "\${COMPREPLY[*]}$added"; }`,
    ...calls,
  ]
  const { stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-uc', script.join('\n')], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').slice(0, -1)
}

it('bash offers commands, options and choices where they may follow', () => {
  const expected: Record<string, string> = {
    'portaria ev': 'events',
    'portaria events ': 'list find show tail replay',
    'portaria events l': 'list',
    'portaria certs trust st': 'stage',
    'portaria events list --st': '--status --state',
    'portaria events list --state ': 'pending blocked delivered exhausted canceled failing waiting',
    'portaria events list --json --state ex': 'exhausted',
    'portaria events list --state = p': 'pending',
    'portaria events list --order =': 'asc desc',
    'portaria events list --limit ': '',
    'portaria events list --config ': 'FILE',
    'portaria --config events ev': 'events',
    'portaria events --config consumers show --r': '--raw',
    'portaria events list events ': '',
    'portaria certs import --for ca': 'callbacks',
    'portaria certs import ': 'FILE',
    'portaria certs import --':
      '--config --for --password-file --password-credential --key --out-cert --out-key --incomplete --dry-run --verbose --help',
    'portaria completion ': 'bash zsh fish',
  }
  const offered = offeredFor(Object.keys(expected).map((line) => line.split(' ')))
  expect(Object.fromEntries(Object.keys(expected).map((line, index) => [line, offered[index]]))).toEqual(expected)
})

it('bash offers all commands of every group, and all options of every command', () => {
  const nodes = withDescendants(tree)
  const groups = nodes.filter(({ children }) => children.length > 0)
  const names = groups.map(({ children }) => children.map(({ words }) => words.at(-1)).join(' '))
  expect(offeredFor(groups.map(({ words }) => ['portaria', ...words, '']))).toEqual(names)
  const options = nodes.map(({ options }) => options.map(({ long }) => long).join(' '))
  expect(nodes.length).toBeGreaterThan(80)
  expect(offeredFor(nodes.map(({ words }) => ['portaria', ...words, '-']))).toEqual(options)
})

it.skipIf(!hasShellcheck)('shellcheck finds nothing in the script for bash', () => {
  const { stdout } = spawnSync('shellcheck', ['--shell=bash', '-'], { input: SCRIPTS.bash(tree), encoding: 'utf8' })
  expect(stdout).toBe('')
})
