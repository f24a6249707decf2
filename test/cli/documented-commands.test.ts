import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, expect, it } from 'vitest'
import { everyCommand } from './every-command.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PAGES = [
  ...[
    'README.md',
    'README.pt.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'systemd/README.md',
    'systemd/README.pt.md',
    'packaging/README.md',
    'packaging/README.pt.md',
    'certs/README.md',
    'container/README.md',
    'config/portaria.yaml',
  ],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]
/** Every command takes them. */
const GLOBAL = ['--config', '--verbose', '--no-color', '--help', '--version']
/** The simulator answers its operations; `simulator/test/` compares them with its pages. */
const OPERATIONS = 'ctl'

let program: Command

beforeAll(async () => {
  program = (await everyCommand())[0] as Command
  while (program.parent !== null) program = program.parent
})

/** What follows the last `portaria` in a span of code, or on a line of a block, up to the end of the shell command. */
function callsOn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  )
  const spans = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const behindName = [...blocks, ...spans].flatMap((code) =>
    [...code.matchAll(/(?:^|[\s(])portaria ((?!portaria |[-…]).*?)(?=$| +[#|>&]|;|\))/g)].map(([, call = '']) => call),
  )
  return [...behindName, ...spans.filter(isShort)]
}

/** A span may leave `portaria` out: `events show`. */
function isShort(span: string): boolean {
  const [name, second = ''] = span.split(' ')
  const group = program.commands.find((command) => command.name() === name && command.commands.length > 0)
  return group !== undefined && /^[a-z]/.test(second)
}

const named = (name: string) => (command: Command) => command.name() === name || command.aliases().includes(name)

/** Why the program would refuse this call; null: it would not. `a|b` in a call are two commands. */
function flawOf(call: string): string | null {
  const words = call.split(/\s+/)
  let command = program
  while (words[0] !== undefined && command.commands.length > 0) {
    const names = words[0].split('|')
    const found = names.map((name) => command.commands.find(named(name)))
    if (found[0] === undefined && command.registeredArguments.length > 0) break
    if (words[0] === '…') return null
    if (found.includes(undefined) && !words[0].startsWith('-')) return `${command.name()} has no command ${words[0]}`
    if (found[0] === undefined) break
    command = found[0]
    words.shift()
    if (command.name() === OPERATIONS) return null
  }
  const options = [...call.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)
  const unknown = options.find(
    (option) => !GLOBAL.includes(option) && !command.options.some(({ long }) => long === option),
  )
  return unknown === undefined ? null : `${command.name()} has no option ${unknown}`
}

it.each(PAGES)('%s names only commands and options that are there', (page) => {
  const flaws = callsOn(page).flatMap((call) => flawOf(call)?.concat(`: ${call}`) ?? [])
  expect(flaws).toEqual([])
})

it('finds commands and options that are not there', () => {
  expect(flawOf('events lists --from 2h')).toBe('events has no command lists')
  expect(flawOf('events list|showw')).toBe('events has no command list|showw')
  expect(flawOf('events list --form 2h')).toBe('list has no option --form')
  expect(flawOf('service webhooks list --environment ENV [--json]')).toBeNull()
})
