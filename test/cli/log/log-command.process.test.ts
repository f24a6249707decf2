import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { readMeanings } from '../../../src/cli/log/meanings.ts'
import { MAIN } from '../../support/gateway.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { compileCache } from '../program.ts'

const AT = '2026-11-22T10:00:00.031Z'
const at = (fields: object) => JSON.stringify({ time: AT, ...fields })
const STORED = at({ level: 'info', kind: 'payment', events: ['evt_1'], event: 'callback.stored' })
const BROKEN = at({ level: 'error', error: 'EIO: i/o error', event: 'store.broken' })
const LINES = [
  STORED,
  'Started portaria.service.',
  at({ level: 'warn', hint: 'run it \u001b[31m', stack: 'Error: a\n  at b', event: 'page.failed' }),
  BROKEN,
  at({ level: 'info', event: 'not.documented' }),
  'a \u009bm\u202e plain line',
  '{"an":"object"}',
  '{"cut',
]

const env = { PATH: process.env.PATH ?? '', TZ: 'America/Sao_Paulo', NODE_COMPILE_CACHE: compileCache }

function read(args: readonly string[], { input = '', path = env.PATH } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'log', ...args], {
    input,
    encoding: 'utf8',
    env: { ...env, PATH: path },
  })
  return { status, stdout, stderr, lines: stdout.split('\n').slice(0, -1) }
}

function fileOf(lines: readonly string[]): string {
  const file = join(temporaryFolder(), 'gateway.log')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

it('says of each line of a file when it happened, what it means and what to do, and hands on other lines', () => {
  const meanings = readMeanings()
  const { status, stderr, lines } = read(['--file', fileOf(LINES)])
  expect([status, stderr]).toEqual([0, ''])
  expect(lines).toEqual([
    `2026-11-22 07:00:00.031-03:00 info  callback.stored: ${meanings.get('callback.stored')}`,
    '    kind=payment events=["evt_1"]',
    'Started portaria.service.',
    `2026-11-22 07:00:00.031-03:00 warn  page.failed: ${meanings.get('page.failed')}`,
    '    → run it \\u001b[31m',
    '    Error: a',
    '      at b',
    '2026-11-22 07:00:00.031-03:00 error store.broken: Commits fail; callbacks are answered 503. Look at the disk, or at PostgreSQL.',
    '    error="EIO: i/o error"',
    '2026-11-22 07:00:00.031-03:00 info  not.documented',
    'a \\u009bm\\u202e plain line',
    '{"an":"object"}',
    '{"cut',
  ])
  expect(meanings.get('callback.refused')).toBe(
    'A callback of an identified caller was refused. portaria check names the remedy.',
  )
})

it('explains events in Portuguese, and in English to programs', () => {
  const args = ['--file', fileOf([BROKEN]), '--lang', 'pt']
  expect(read(args).lines[0]).toBe(
    '2026-11-22 07:00:00.031-03:00 error store.broken: As gravações falham; os callbacks são respondidos com 503. Verifique o disco, ou o PostgreSQL.',
  )
  expect(read([...args, '--json']).stdout).toContain('Commits fail; callbacks are answered 503.')
})

it('reads standard input, only events of a level and a time, and prints JSON lines', () => {
  const input = `${LINES.join('\n')}\n`
  const warnings = read(['--file', '-', '--level', 'warn', '--json'], { input })
  expect(warnings.lines.map((line) => JSON.parse(line))).toEqual([
    { text: LINES[1] },
    { ...JSON.parse(LINES[2] ?? ''), meaning: 'A fault of the program. Report it.' },
    { ...JSON.parse(BROKEN), meaning: 'Commits fail; callbacks are answered 503. Look at the disk, or at PostgreSQL.' },
    ...LINES.slice(5).map((text) => ({ text })),
  ])
  const isTold = (time: string) => read(['--file', '-', '--from', time], { input: STORED }).lines.length > 0
  expect([isTold('2026-11-22T10:00:00Z'), isTold('2026-11-22T10:00:01Z')]).toEqual([true, false])
})

it('a file that is missing, or a folder, is wrong usage', () => {
  const folder = temporaryFolder()
  const ended = [join(folder, 'none'), folder].map((file) => read(['--file', file]))
  expect(ended.map(({ status, stdout }) => [status, stdout])).toEqual([
    [2, ''],
    [2, ''],
  ])
  expect(ended[0]?.stderr).toBe(`portaria: --file ${join(folder, 'none')} cannot be read: it does not exist\n`)
})

it('asks the journal for the unit of the gateway, from a time on', () => {
  const folder = temporaryFolder()
  const program = join(folder, 'journalctl')
  writeFileSync(
    program,
    `#!/bin/sh\necho "$*" >"${folder}/arguments"\necho '${BROKEN}'\nexit "$(cat "${folder}/code")"\n`,
  )
  chmodSync(program, 0o755)
  writeFileSync(join(folder, 'code'), '0')
  const path = `${folder}:${env.PATH}`
  const told = read(['--from', '2026-11-22T09:00:00Z'], { path })
  expect([told.status, told.lines.length]).toEqual([0, 2])
  const since = Date.UTC(2026, 10, 22, 9) / 1000
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe(
    `--output=cat --quiet --no-pager --unit=portaria --since=@${since}\n`,
  )
  writeFileSync(join(folder, 'code'), '3')
  const failed = read([], { path })
  expect([failed.status, failed.stderr]).toEqual([
    1,
    'portaria: journalctl ended with exit code 3; --file names another source\n',
  ])
  const missing = read([], { path: join(folder, 'nowhere') })
  expect([missing.status, missing.stderr]).toEqual([
    1,
    'portaria: journalctl cannot be started: it does not exist; --file names another source\n',
  ])
})

it.each([
  ['its own end', 'SIGTERM'],
  ['the end of its reader', null],
] as const)('follows a file until %s, and leaves no process behind', async (_, signal) => {
  const file = fileOf([STORED])
  const child = spawn(process.execPath, [MAIN, 'log', '--follow', '--file', file], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Its tail has the standard error, too: the pipe closes when both have ended.
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.stderr.resume()
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toContain('callback.stored')
  await lines.next()
  appendFileSync(file, `${BROKEN}\n`)
  expect((await lines.next()).value).toContain('store.broken')
  if (signal !== null) child.kill(signal)
  else {
    await once(child.stdout.destroy(), 'close')
    appendFileSync(file, `${BROKEN}\n`)
  }
  expect(await closed).toBe(0)
})
