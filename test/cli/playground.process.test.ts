import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** Keys of the simulated service and a start of the gateway take seconds on a busy machine. */
const START_LIMIT_MS = 60_000

interface Summary {
  readonly playground: string
  readonly api: string
  readonly operatorTokenFile: string
  readonly folder: string
  readonly pids: Readonly<Record<'simulator' | 'gateway', number>>
}

/** The command as a process of its own, on free ports, whose temporary folder is one that the test can look into. */
function runPlayground(...options: string[]) {
  const temporary = temporaryFolder()
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'playground', '--any-ports', '--json', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a shell makes one.
    detached: true,
    env: { ...process.env, TMPDIR: temporary },
    timeout: 100_000,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  const ended = new Promise<number | string | null>((done) =>
    child.once('close', (code, signal) => done(code ?? signal)),
  )
  const started = async () =>
    JSON.parse(
      await until(
        () => output.stdout,
        (text) => text.endsWith('\n'),
        START_LIMIT_MS,
      ),
    ) as Summary
  return { child, ended, output, started, leftBehind: () => readdirSync(temporary) }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // There is no such process.
    return false
  }
}

/** Of every payment. One that is asked for on a day without business is `AGENDADO` before. */
const STATUSES = ['EM_PROCESSAMENTO', 'EXECUTADO', 'LIQUIDADO']

/** The statuses that the page shows as stored by the gateway. */
function statusesIn(page: string): string[] {
  const found = [...page.matchAll(/data-stored="(\w+)"/g)].map(([, status = '']) => status)
  return found.filter((status) => STATUSES.includes(status)).toSorted()
}

/** What the button of the first page does. */
async function click(playground: string): Promise<{ idPagamento: string; steps: readonly { status: number }[] }> {
  const response = await fetch(`${playground}first-payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ as: 'sandbox 200001' }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Awaited<ReturnType<typeof click>>
}

it('one click registers the gateway over mutual TLS and pays a bill, the page shows it arriving, and Ctrl-C leaves nothing', {
  timeout: 100_000,
}, async () => {
  const { child, ended, output, started, leftBehind } = runPlayground()
  const { playground, api, operatorTokenFile, pids } = await started()
  const first = await (await fetch(playground)).text()
  expect(first).toContain('Register the local gateway and send a first payment')

  const { idPagamento, steps } = await click(playground)
  expect(steps.map(({ status }) => status)).toEqual([201, 200, 201, 200, 201, 200])
  const arrival = async () => (await fetch(`${playground}first-payment/${idPagamento}`)).text()
  const stored = async () => statusesIn(await arrival())
  expect(await until(stored, (found) => found.length === STATUSES.length, START_LIMIT_MS)).toEqual(STATUSES)

  const authorization = `Bearer ${readFileSync(operatorTokenFile, 'utf8').trim()}`
  const response = await fetch(`${api}/v1/events?limit=100`, { headers: { authorization } })
  const { data } = (await response.json()) as { data: { id: string; subject: string }[] }
  const settled = data.find(({ subject }) => subject === idPagamento)?.id
  expect(await arrival()).toContain(`href="${api}/ui/events/${settled}"`)
  expect(data.filter(({ subject }) => subject === idPagamento).length).toBeGreaterThanOrEqual(STATUSES.length)
  // Of the service's two requests, the one without a certificate leaves none.
  expect(await refusals(api, authorization)).toEqual(['no_certificate', 'no_certificate'])

  // Ctrl-C goes to every process of the group.
  process.kill(-(child.pid as number), 'SIGINT')
  expect({ code: await ended, stderr: output.stderr }).toEqual({ code: 0, stderr: '' })
  expect(leftBehind()).toEqual([])
  expect([pids.simulator, pids.gateway].filter(isRunning)).toEqual([])
})

/** They are recorded a moment later. */
function refusals(api: string, authorization: string): Promise<string[]> {
  const codes = async () => {
    const response = await fetch(`${api}/v1/refusals?limit=100`, { headers: { authorization } })
    return ((await response.json()) as { data: { code: string }[] }).data.map(({ code }) => code)
  }
  return until(codes, (found) => found.length >= 2, START_LIMIT_MS)
}

it('keeps a named folder, and a second start continues there', { timeout: 150_000 }, async () => {
  const folder = join(temporaryFolder(), 'kept')
  const once = runPlayground('--folder', folder)
  const { idPagamento } = await click((await once.started()).playground)
  const { playground: first } = await once.started()
  const stored = async () => statusesIn(await (await fetch(`${first}first-payment/${idPagamento}`)).text())
  await until(stored, (found) => found.length === STATUSES.length, START_LIMIT_MS)
  once.child.kill('SIGTERM')
  expect(await once.ended).toBe(0)
  expect(existsSync(join(folder, 'data/portaria.db'))).toBe(true)

  const again = runPlayground('--folder', folder)
  const { playground } = await again.started()
  const page = await fetch(`${playground}first-payment/${idPagamento}`)
  expect(page.status).toBe(200)
  expect(statusesIn(await page.text())).toEqual(STATUSES)
  again.child.kill('SIGINT')
  expect(await again.ended).toBe(0)
  expect(again.leftBehind()).toEqual([])
})

it('ends with 1 and the reason when one of its programs ends', { timeout: 100_000 }, async () => {
  const { ended, output, started, leftBehind } = runPlayground()
  const { pids } = await started()
  process.kill(pids.gateway, 'SIGKILL')
  expect(await ended).toBe(1)
  expect(output.stderr).toContain('the gateway ended with SIGKILL')
  expect(leftBehind()).toEqual([])
  expect(isRunning(pids.simulator)).toBe(false)
})

it('leaves the folder of another gateway as it is', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'portaria.yaml'), 'mode: production\n')
  const { ended, output } = runPlayground('--folder', folder)
  expect(await ended).toBe(2)
  expect(output.stderr).toContain('is the configuration of another gateway: choose another --folder')
  expect(readdirSync(folder)).toEqual(['portaria.yaml'])
})

it('ends with 2 and says so where the folder cannot be one', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  // Node's recursive mkdir never ends at /proc.
  for (const folder of [file, join(file, 'below'), '/proc/portaria']) {
    const { ended, output, leftBehind } = runPlayground('--folder', folder)
    expect(await ended, folder).toBe(2)
    expect(output.stderr).toMatch(/^portaria: cannot use the folder .*; choose another --folder\n$/)
    expect(leftBehind()).toEqual([])
  }
})

it('offers free ports where a port is in use', { timeout: 100_000 }, async () => {
  // Something listens on the port afterwards: this server, or what was there before.
  const server = createServer().on('error', () => undefined)
  server.listen(9445, '127.0.0.1')
  onTestFinished(() => void server.close())
  const child = spawn(process.execPath, [MAIN, 'playground'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
    env: { ...process.env, TMPDIR: temporaryFolder() },
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = await new Promise((done) => child.once('close', done))
  expect({ ended, stderr }).toEqual({ ended: 1, stderr: expect.stringContaining('--any-ports" takes free ports') })
})
