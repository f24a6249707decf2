import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Argument, type Command, CommanderError } from 'commander'
import { expect, it } from 'vitest'
import { readBuild } from '../../src/cli/program/build.ts'
import { loadCommands } from '../../src/cli/program/commands.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { VERSION } from '../../src/platform/version.ts'
import { IS_FULL } from '../support/campaign.ts'
import { createSite, type TestSite } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { everyCommand, nameOf } from './every-command.ts'
import { linesOf, portaria, portariaProcess } from './program.ts'

async function all<T>(asked: Record<string, Promise<T>>): Promise<Record<string, T>> {
  const entries = Object.entries(asked)
  const answers = await Promise.all(Object.values(asked))
  return Object.fromEntries(entries.map(([name], i) => [name, answers[i] as T]))
}

it('wrong usage ends with 2, and says what is wrong and where help is', async () => {
  const expected: Record<string, RegExp> = {
    evnts: /unknown command 'evnts'\n\(Did you mean events\?\)/,
    'events list --nope': /unknown option '--nope'/,
    'events list --limit 0': /argument '0' is invalid\. It must be a whole number of at least 1/,
    'destinations create': /missing required argument 'url'/,
    'version extra': /too many arguments for 'version'/,
    'probe --nope --cert a --key b': /unknown option '--nope'/,
    probe: /required option '--cert <file>' not specified/,
    'demo --nope': /unknown option '--nope'/,
  }
  const ended = await all(
    Object.fromEntries(Object.keys(expected).map((line) => [line, portaria(null, ...line.split(' '))])),
  )
  for (const [line, pattern] of Object.entries(expected)) {
    expect([ended[line]?.code, ended[line]?.stdout], line).toEqual([2, ''])
    expect(ended[line]?.stderr, line).toMatch(pattern)
    expect(ended[line]?.stderr, line).toContain('(--help lists commands and options)')
  }
})

it('every command refuses options that it does not know, and to do without its arguments, before it does anything', async () => {
  const said: string[] = []
  for (const command of await everyCommand()) {
    const complaintOf = async (...args: string[]) => {
      said.length = 0
      command.configureOutput({ writeErr: (text) => said.push(text) })
      await expect(command.parseAsync(args, { from: 'user' }), command.name()).rejects.toBeInstanceOf(CommanderError)
      expect(said.join(''), command.name()).toContain('(--help lists commands and options)')
    }
    await complaintOf('--nope')
    if (command.registeredArguments.some(({ required }) => required)) await complaintOf()
    else await complaintOf('one', 'too', 'many')
  }
})

const PROCESSES = 4

async function compare(line: readonly string[]): Promise<void> {
  const [started, here] = await Promise.all([portariaProcess(null, ...line), portaria(null, ...line)])
  expect(started, line.join(' ')).toEqual(here)
  expect([started.code, started.stdout], line.join(' ')).toEqual([2, ''])
}

/** All of them at night; in the gate the last one of each noun, which the others share their start with. */
function startedCommands(names: readonly string[]): string[] {
  return IS_FULL ? [...names] : [...new Map(names.map((name) => [name.split(' ')[0], name])).values()]
}

it('a command ends in a process of its own as it does in this one', { timeout: 900_000 }, async () => {
  const names = (await everyCommand()).map(nameOf)
  expect(names.length).toBeGreaterThan(100)
  const lines = startedCommands(names).map((name) => [...name.split(' '), '--nope'])
  for (let first = 0; first < lines.length; first += PROCESSES)
    await Promise.all(lines.slice(first, first + PROCESSES).map(compare))
})

it('every command takes --config; the help leaves it out where no configuration is needed, and it is not read', async () => {
  const commands = await everyCommand()
  for (const command of commands)
    expect(
      command.options.map(({ long }) => long),
      nameOf(command),
    ).toContain('--config')
  const without = commands.filter((command) => !command.helpInformation().includes('--config <file>')).map(nameOf)
  expect(without.filter((name) => !name.startsWith('simulator'))).toEqual([
    'init',
    'demo',
    'certs csr',
    'log',
    'playground',
    'conformance',
    'conformance chain',
    'login',
    'logout',
    'completion',
    'man',
    'version',
  ])
  const dir = join(temporaryFolder(), 'site')
  const nowhere = ['--config', '/nowhere/portaria.yaml']
  const ended = await Promise.all([
    portaria(null, 'version', ...nowhere),
    portaria({ configFile: '/nowhere/portaria.yaml' } as TestSite, 'version'),
    portaria(null, 'init', dir, '--host-name', 'a.example', ...nowhere),
    portaria(null, 'probe', 'no-url', '--cert', 'a', '--key', 'b', ...nowhere),
  ])
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 2])
  expect(ended[3]?.stderr).toBe('portaria: "no-url" is not a URL: give https://HOST:PORT/PATH\n')
})

it('the help of every command is in plain words', async () => {
  const decoded =
    /\b(what is|whoever|one that|anew|stands|is told|owed|lent|nobody|as it was|let in|looked at|look at|it gets|its own)\b/i
  for (const command of await everyCommand()) {
    const texts = [command.description(), ...command.options.map(({ description }) => description)]
    const groups = [command.parent?.description() ?? '', ...command.registeredArguments.map((one) => one.description)]
    for (const text of [...texts, ...groups]) expect(text, command.name()).not.toMatch(decoded)
  }
})

it('help is there, with every option, and ends with 0', async () => {
  const expected: Record<string, string[]> = {
    '': ['serve', 'probe', 'events', 'deliveries', 'destinations', 'version'],
    'events list': [
      ...['--limit', '--json', '--kind', '--environment', '--subject', '--state', '--from', '--to', '--config'],
    ],
    'events show': ['--json', '--raw', '--config', '<id>'],
    'destinations create': [
      ...['--name', '--kind', '--environment', '--secret-file', '--timeout', '--concurrency', '--header', '--json'],
    ],
  }
  const ended = await all(
    Object.fromEntries(
      Object.keys(expected).map((line) => [line, portaria(null, ...line.split(' ').filter(Boolean), '--help')]),
    ),
  )
  for (const [line, words] of Object.entries(expected)) {
    expect([ended[line]?.code, ended[line]?.stderr], line).toEqual([0, ''])
    for (const word of words) expect(ended[line]?.stdout, line).toContain(word)
  }
})

it('the versions of everything that matters are shown, for people and for programs', async () => {
  const [plain, text, json, short] = await Promise.all([
    portaria(null, 'version'),
    portaria(null, 'version', '--verbose'),
    portaria(null, 'version', '--json'),
    portaria(null, '--version'),
  ])
  expect([plain, text, json, short].map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect([plain.stdout, short.stdout]).toEqual([`${VERSION}\n`, `${VERSION}\n`])
  const { commit } = readBuild()
  expect(commit).toMatch(/^[0-9a-f]{40}$/)
  expect(linesOf(json)).toEqual([
    {
      version: VERSION,
      installed: 'clone',
      commit,
      node: process.versions.node,
      sqlite: expect.stringMatching(/^3\./),
      openssl: process.versions.openssl,
    },
  ])
  const shown = text.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ +/))
  expect(Object.fromEntries(shown)).toEqual({ ...linesOf(json)[0], commit })
})

it('the scripts for shells and the manual page know all commands', async () => {
  const asked = [['completion', 'bash'], ['completion', 'zsh'], ['completion', 'fish'], ['man']]
  const ended = await Promise.all(asked.map((args) => portaria(null, ...args)))
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(asked.map(() => [0, '']))
  for (const { stdout } of ended) expect(stdout).toMatch(/ service webhooks create\b/)
})

it('every mistake of a configuration is listed at once', async () => {
  const file = join(temporaryFolder(), 'portaria.yaml')
  writeFileSync(file, 'mode: prod\nlog: { levle: info }\nstorage: { url: "sqlite:a.db" }\napi: { host: 0.0.0.0 }\n')
  const [named, other] = await Promise.all([
    portaria({ configFile: file } as TestSite, 'events', 'list'),
    portaria({ configFile: '/nothing' } as TestSite, 'serve', '--config', file),
  ])
  for (const { code, stdout, stderr } of [named, other]) {
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.split('\n')).toEqual([
      `portaria: the configuration file ${file} has 4 mistakes: config/portaria.yaml explains every key`,
      expect.stringMatching(/^ {2}- mode \(line 1\): must be one of production, development/),
      expect.stringMatching(/^ {2}- callbacks \(line 1\): is missing/),
      expect.stringMatching(/^ {2}- log\.levle \(line 2\): unknown key; did you mean "level"\?/),
      expect.stringMatching(/^ {2}- api\.host \(line 4\): is not a loopback address/),
      '',
    ])
  }
})

it('a database that cannot be looked at is not taken for one that is not there yet', async () => {
  const site = await createSite({ storage: { url: 'sqlite:loop/portaria.db' } })
  symlinkSync('loop', join(site.folder, 'loop'))
  const { code, stdout, stderr } = await portaria(site, 'events', 'list')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^portaria: the database \S+loop\/portaria\.db cannot be read: ELOOP.*; run this command as .*, or as root, or check storage\.url\n$/,
  )
})

it('where there is no database yet, looking says what to do, and makes none', async () => {
  const site = await createSite()
  const looks = [
    ['events', 'list'],
    ['deliveries', 'list'],
    ['destinations', 'list'],
  ]
  const file = join(site.folder, 'data/portaria.db')
  const text = `portaria: there is no database at ${file} yet: start the gateway once (${COMMAND} serve), or check storage.url\n`
  const ended = await Promise.all(looks.map((args) => portaria(site, ...args)))
  expect(ended.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(looks.map(() => [1, '', text]))
  expect(existsSync(file)).toBe(false)
})

it('help marks the options that are required, and no others', async () => {
  for (const command of await everyCommand()) {
    const help = command.createHelp()
    for (const option of command.options)
      expect(help.optionDescription(option).includes('(required)'), `${command.name()} ${option.long}`).toBe(
        option.mandatory,
      )
  }
  const { stdout } = await portaria(null, 'storage', 'redact', '--help')
  expect(stdout).toMatch(/--subject <id> .*\(required\)\n/)
})

it('the help of every command has an example, and its command line is one that the command takes', async () => {
  for (const command of await everyCommand()) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    const [, line = ''] = /\nExample:\n {2}(.+)\n$/.exec(help) ?? []
    const name = `${COMMAND} ${nameOf(command)}`
    expect(`${line} `.startsWith(`${name} `), `${name}: ${line}`).toBe(true)
    const words = [...line.slice(name.length).matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, word]) => quoted ?? word ?? '',
    )
    let isRun = false
    command.configureOutput({ writeErr: () => undefined }).action(() => {
      isRun = true
    })
    await expect(command.parseAsync(words, { from: 'user' }), line).resolves.toBe(command)
    expect(isRun, line).toBe(true)
  }
})

it('the list of commands, which loads none of them, has the words of each', async () => {
  const listed = await loadCommands('')
  let program = (await everyCommand())[0] as Command
  while (program.parent !== null) program = program.parent
  const wordsOf = (command: Command) => [
    command.name(),
    command.description(),
    command.registeredArguments.map(namesOf),
  ]
  const namesOf = (argument: Argument) => [argument.name(), argument.required, argument.variadic]

  expect(listed.length).toBeGreaterThan(10)
  expect(listed.map(wordsOf)).toEqual(program.commands.map(wordsOf))
})
