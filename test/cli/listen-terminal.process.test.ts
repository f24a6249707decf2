import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callBack } from '../support/calls.ts'
import { MAIN } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type App, idsOf, isReady, payment, setUp, start, startApp, store } from './listener.ts'
import { compileCache } from './program.ts'

const hasScript = spawnSync('script', ['--version']).status === 0
const KEYS = { up: '\u001b[A', down: '\u001b[B', end: '\u0003' }

interface Terminal {
  /** The lines of the table as they are now, without colours. */
  screen(): string[]
  press(key: string): void
  /** The exit code, and what the terminal shows behind the table. */
  readonly ended: Promise<{ code: number | null; rest: string }>
}

/** `portaria listen` on a terminal of 140 columns and 12 rows. In the folder `bin` of the home are programs that come first on the PATH. */
function listenOnTerminal(home: string, app: App, ...args: string[]): Terminal {
  const command = ['listen', '--forward-to', `${app.url}/hook`, '--secret-file', join(home, 'signing'), ...args]
  const line = [process.execPath, MAIN, ...command, '--profile', 'work'].map((part) => `'${part}'`).join(' ')
  const shell = `stty cols 140 rows 12; ${line}; code=$?; stty -a | grep -ow -- '-*icanon'; exit $code`
  const path = [join(home, 'bin'), process.env.PATH].join(delimiter)
  const env = { PATH: path, TZ: 'UTC', HOME: home, TERM: 'xterm', NODE_COMPILE_CACHE: compileCache }
  const child: ChildProcess = spawn('script', ['-qec', shell, '/dev/null'], { env, cwd: home })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (shown += part))
  const last = () => (shown.split('\u001b[J').at(-1) ?? '').replaceAll(/\u001b\[[\d;]*m/g, '').replaceAll('\r', '')
  return {
    screen: () =>
      last()
        .split('\n')
        .filter((row) => row !== ''),
    press: (key) => void child.stdin?.write(key),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, rest: last() })),
  }
}

/** Of the rows of events, what they have in the columns subject and answer, and which one is marked. */
function rowsOf(terminal: Terminal): string[] {
  return terminal.screen().flatMap((row) => {
    const [, mark, subject, answer] = /^([› ]) .* evt_\w+ +payment +\S+ +(\d+) +(.*?) +\d+$/.exec(row) ?? []
    return mark === undefined ? [] : [`${mark}${subject} ${answer}`]
  })
}

const hasRows = (terminal: Terminal, ...rows: string[]) =>
  until(() => JSON.stringify(rowsOf(terminal)) === JSON.stringify(rows)).catch(() =>
    expect(terminal.screen().join('\n')).toBe(rows.join('\n')),
  )

const shows = (terminal: Terminal, text: string) =>
  until(() => terminal.screen().some((row) => row.includes(text))).catch(() =>
    expect(terminal.screen().join('\n')).toContain(text),
  )

/** A program in place of the desktop's: it writes the address that it gets into a file. */
function installOpener(home: string, exitCode: number): () => string {
  const [bin, opened] = [join(home, 'bin'), join(home, 'opened')]
  mkdirSync(bin, { recursive: true })
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf '%s' "$1" >'${opened}.new' && mv '${opened}.new' '${opened}'\nexit ${exitCode}\n`,
  )
  chmodSync(join(bin, 'xdg-open'), 0o755)
  return () => (existsSync(opened) ? readFileSync(opened, 'utf8') : '')
}

describe.skipIf(!hasScript)('on a terminal (with script)', () => {
  it('shows a live table; keys choose a row, send it again, open its page, and end with the terminal as it was', async () => {
    const { site, gateway, home, api, login } = await setUp()
    await start(home, ...login, '--profile', 'work').ended
    const app = await startApp()
    const opened = installOpener(home, 0)
    const terminal = listenOnTerminal(home, app)
    await shows(terminal, 'waits for new events')
    expect(terminal.screen().at(-1)).toBe('r: send again · o: open the page · ↑ ↓: choose · Ctrl-C: end')

    await store(gateway, site, payment(1), payment(2))
    await hasRows(terminal, ' 1 200', '›2 200')
    expect(terminal.screen()[0]).toMatch(/^ +time +event +kind +status +subject +answer +ms$/)
    terminal.press('r')
    await hasRows(terminal, ' 1 200', '›2 200 (sent again)')
    terminal.press(KEYS.up)
    await hasRows(terminal, '›1 200', ' 2 200 (sent again)')
    terminal.press('r')
    await hasRows(terminal, '›1 200 (sent again)', ' 2 200 (sent again)')
    const [first, second] = idsOf(app)
    expect(idsOf(app)).toEqual([first, second, second, first])
    expect(app.seen.map(({ headers }) => headers['portaria-replay'] ?? null)).toEqual([null, null, 'true', 'true'])

    terminal.press('o')
    await until(() => opened() === `${api}/ui/events/${first}`)
    expect((await fetch(opened(), { redirect: 'manual' })).status).toBeLessThan(400)

    // The newest row is marked again, and an event that was refused is sent again at once.
    terminal.press(KEYS.down)
    app.answer = 500
    await store(gateway, site, payment(3))
    await shows(terminal, '; again in 4 s')
    app.answer = 200
    terminal.press('r')
    // On a slow machine its time may have come before the key.
    await until(() => /^›3 200 \((attempt 4|sent again)\)$/.test(rowsOf(terminal)[2] ?? ''))

    terminal.press(KEYS.end)
    expect(await terminal.ended).toEqual({ code: 0, rest: expect.stringMatching(/\nicanon\n$/) })
  })

  it('keeps to the height of the terminal, and shows the address of a page that no program opens', async () => {
    const { site, gateway, home, api, login } = await setUp()
    await start(home, ...login, '--profile', 'work').ended
    const app = await startApp()
    const opened = installOpener(home, 3)
    const terminal = listenOnTerminal(home, app)
    await shows(terminal, 'waits for new events')
    await store(gateway, site, ...Array.from({ length: 10 }, (_, at) => payment(at + 1)))
    const row = (subject: number) => ` ${subject} 200`
    await hasRows(terminal, ...[3, 4, 5, 6, 7, 8, 9].map(row), '›10 200')
    for (let presses = 0; presses < 9; presses++) terminal.press(KEYS.up)
    await hasRows(terminal, '›1 200', ...[2, 3, 4, 5, 6, 7, 8].map(row))

    terminal.press('o')
    const page = `${api}/ui/events/${idsOf(app)[0]}`
    await until(() => opened() === page)
    await until(() => terminal.screen().some((line) => line.endsWith(`  ${page}`)))
    terminal.press('q')
    expect((await terminal.ended).code).toBe(0)
  })
})

it('kinds go to different addresses, and kinds without one are not asked for', async () => {
  const { gateway, site, home, login } = await setUp()
  await start(home, ...login, '--profile', 'work').ended
  const [payments, openings] = [await startApp(), await startApp()]
  const common = ['listen', '--secret-file', join(home, 'signing'), '--profile', 'work', '--count', '2', '--consumer']
  const toBoth = ['--forward-to', `payment=${payments.url}/in`, '--forward-to']
  const two = start(home, ...common, 'two', ...toBoth, `registration=${openings.url}/in`)
  const rest = start(home, ...common, 'rest', ...toBoth, `${openings.url}/rest`)
  await Promise.all([isReady(two), isReady(rest)])
  expect(two.stderr()).toContain(`${payments.url}/in (payment), ${openings.url}/in (registration)`)
  await store(gateway, site, payment(1))
  await callBack(
    { callbacks: gateway.callbacks, site },
    { path: '/callbacks/charge', body: '{"notification":{"entries":[{"charge_id":1}]}}' },
  )
  await until(() => openings.seen.length === 1)
  const opening = '{"contaSimplificada":{"identificador":"7"},"evento":"conta_aberta"}'
  await callBack({ callbacks: gateway.callbacks, site }, { path: '/callbacks/registration', body: opening })

  // The lines are those of a pipe.
  expect((await two.ended).code).toBe(0)
  expect((await rest.ended).code).toBe(0)
  const kindsOf = ({ seen }: App) => seen.map(({ url, headers }) => `${url} ${headers['portaria-kind']}`).sort()
  expect(kindsOf(payments)).toEqual(['/in payment', '/in payment'])
  expect(kindsOf(openings)).toEqual(['/in registration', '/rest charge'])
})

it('the exit code of --timeout says whether the last event was taken, and with --count whether enough were', async () => {
  const { gateway, site, home, login } = await setUp()
  await start(home, ...login, '--profile', 'work').ended
  await store(gateway, site, payment(1))
  const [good, bad] = [await startApp(200), await startApp(503)]
  const common = ['--secret-file', join(home, 'signing'), '--profile', 'work', '--from', 'start', '--timeout', '15']
  const until15 = (consumer: string, app: App, ...args: string[]) =>
    start(home, 'listen', '--forward-to', app.url, '--consumer', consumer, ...common, ...args).ended
  const ended = await Promise.all([
    until15('no-event', good, '--kind', 'registration'),
    until15('taken', good),
    until15('not-taken', bad),
    until15('too-few', good, '--count', '2'),
  ])
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 1, 1])
  expect([good.seen.length, bad.seen.length > 1]).toEqual([2, true])
})
