import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { aDestination, NOON } from '../support/builders.ts'
import { createSite, MAIN, type TestSite } from '../support/gateway.ts'
import { everyCommand } from './every-command.ts'
import { compileCache } from './program.ts'

const hasScript = spawnSync('script', ['--version']).status === 0
const ESCAPE = '\x1b['
const [GREEN, YELLOW, RED, BOLD] = [32, 33, 31, 1].map((code) => `${ESCAPE}${code}m`) as [
  string,
  string,
  string,
  string,
]

describe.skipIf(!hasScript)('colors (with script)', () => {
  let site: TestSite
  beforeAll(async () => {
    site = await createSite({}, mkdtempSync(join(tmpdir(), 'portaria-')))
    const store = await openStore({
      file: join(site.folder, 'data/portaria.db'),
      deduplicationWindowMs: 1000,
      queue: { events: 10, bytes: 1 << 20 },
    })
    const name = 'a-name-that-needs-width'
    const { id: books } = await store.createDestination(aDestination({ name: 'books' }), NOON)
    await store.createDestination(aDestination({ name }), NOON)
    await store.pauseDestination(books, 'for the test')
    await store.close()
  })
  afterAll(() => rmSync(site.folder, { recursive: true }))

  /** What a terminal, or a pipe behind it, gets of both outputs. */
  async function shown(args: string, env: Record<string, string> = {}, pipe = ''): Promise<string> {
    const command = `"${process.execPath}" "${MAIN}" ${args} ${pipe}`
    const { PATH = '' } = process.env
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH, TERM: 'xterm-256color', NODE_COMPILE_CACHE: compileCache, PORTARIA_CONFIG: site.configFile, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return String(await buffer(child.stdout))
  }

  it('mark states, headings, findings and errors in a terminal, and leave columns where they were', async () => {
    const [list, plain, findings, error, usage] = await Promise.all([
      shown('destinations list'),
      shown('destinations list', { NO_COLOR: '1' }),
      shown('check --offline'),
      shown('clients show absent'),
      shown('events list --nope'),
    ])
    expect(list).toContain(`${BOLD}state${ESCAPE}22m`)
    expect(list).toContain(`${GREEN}active${ESCAPE}39m`)
    expect(list).toContain(`${YELLOW}paused${ESCAPE}39m`)
    expect(list.replaceAll(/\x1b\[\d+m/g, '')).toBe(plain)
    expect(findings).toContain(`${BOLD}configuration${ESCAPE}22m`)
    expect(findings).toContain(`  ${GREEN}✓${ESCAPE}39m file `)
    expect(findings).toContain(`  ${YELLOW}!${ESCAPE}39m books `)
    expect(findings).toContain(`  ${RED}✗${ESCAPE}39m production `)
    expect(findings).toContain(`${RED}✗ Not good: `)
    expect(error).toMatch(`${RED}portaria:${ESCAPE}39m there is no client absent`)
    expect(usage).toMatch(`${RED}error:${ESCAPE}39m unknown option '--nope'`)
  })

  it.each([
    ['--no-color', '--no-color destinations list'],
    ['--no-color behind the command, against FORCE_COLOR', 'destinations list --no-color', { FORCE_COLOR: '1' }],
    ['--no-color for an error', 'clients show absent --no-color'],
    ['--no-color for wrong usage', 'clients --no-color shw'],
    ['NO_COLOR', 'check --offline', { NO_COLOR: '1' }],
    ['TERM=dumb', 'destinations list', { TERM: 'dumb' }],
    ['--json', 'destinations list --json'],
    ['--json of check', 'check --offline --json'],
    ['a pipe, even with FORCE_COLOR', 'destinations list', { FORCE_COLOR: '1' }, '| cat'],
    ['a pipe of errors', 'clients show absent', { FORCE_COLOR: '1' }, '2>&1 | cat'],
  ])('none with %s', async (_, args, env: Record<string, string> = {}, pipe = '') => {
    const text = await shown(args, env, pipe)
    expect(text).toMatch(/books|absent|shw/)
    expect(text).not.toContain(ESCAPE)
  })
})

it('the help names --no-color once, and every command takes it', async () => {
  const commands = await everyCommand()
  let program = commands[0]
  while (program?.parent) program = program.parent
  expect(program?.helpInformation()).toContain('--no-color')
  for (const command of commands) {
    expect(command.options.map(({ long }) => long)).toContain('--no-color')
    expect(command.helpInformation()).not.toContain('--no-color')
  }
})
