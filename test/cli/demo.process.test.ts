import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** Keys of the simulated service and a start of the gateway take seconds on a busy machine. */
const START_LIMIT_MS = 40_000

interface DemoLine {
  readonly step?: number
  readonly ok: boolean
  readonly pid?: number
  readonly pids?: readonly number[]
  readonly [field: string]: unknown
}

/** The command as a process of its own, whose temporary folder is one that the test can look into. */
function runDemo(...options: string[]) {
  const temporary = temporaryFolder()
  const demo: ChildProcess = spawn(process.execPath, [MAIN, 'demo', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temporary },
    timeout: 50_000,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => void demo.kill('SIGTERM'))
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    demo[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const ended = new Promise<number | string | null>((done) =>
    demo.once('close', (code, signal) => done(code ?? signal)),
  )
  const lines = () =>
    output.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as DemoLine)
  const firstGateway = () => until(() => lines()[0]?.pid, Boolean, START_LIMIT_MS)
  return { demo, ended, output, lines, firstGateway, leftBehind: () => readdirSync(temporary) }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // There is no such process.
    return false
  }
}

it('shows every promise kept, loses nothing, and leaves no folder and no process behind', {
  timeout: 60_000,
}, async () => {
  const { ended, output, lines, leftBehind } = runDemo('--json')

  expect({ code: await ended, stderr: output.stderr }).toEqual({ code: 0, stderr: '' })
  const steps = lines().slice(0, -1)
  expect(steps.map(({ step, ok }) => ({ step, ok }))).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((step) => ({ step, ok: true })),
  )
  const counts = lines().at(-1) as DemoLine & Record<'acknowledged', number>
  const { acknowledged } = counts
  expect(acknowledged).toBeGreaterThan(150)
  expect(counts).toEqual({
    ok: true,
    sent: expect.any(Number),
    acknowledged,
    stored: acknowledged,
    delivered: acknowledged,
    lost: 0,
  })
  expect(counts.sent).toBeGreaterThan(acknowledged)
  expect(steps[1]).toMatchObject({ refused: 2, accepted: 2 })
  const polled = steps[3]?.polled as readonly { kind: string; status: string }[]
  // The service sends the two of the charge at the same time.
  expect(polled.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
    'charge canceled',
    'charge new',
    'payment EM_PROCESSAMENTO',
    'payment EXECUTADO',
    'payment LIQUIDADO',
    'registration conta_aberta',
  ])
  const pids = [...(steps.at(-1)?.pids ?? []), steps[0]?.servicePid as number]
  expect(pids.map(isRunning)).toEqual([false, false, false])
  expect(leftBehind()).toEqual([])
})

it.each(['SIGINT', 'SIGTERM'] as const)('stopped by %s in the middle, it cleans up and says so', async (signal) => {
  const { demo, ended, output, lines, firstGateway, leftBehind } = runDemo('--json')
  const pid = (await firstGateway()) as number
  expect(isRunning(pid)).toBe(true)

  demo.kill(signal)

  expect(await ended).toBe(1)
  expect(output.stderr).toContain(`stopped by ${signal}`)
  expect(lines().at(-1)).toMatchObject({ ok: false, lost: null })
  expect(isRunning(pid)).toBe(false)
  expect(leftBehind()).toEqual([])
})

it('names the step that did not hold, and cleans up', async () => {
  const { ended, output, lines, firstGateway, leftBehind } = runDemo('--json')

  process.kill((await firstGateway()) as number, 'SIGKILL')

  expect(await ended).toBe(1)
  const failed = lines().at(-2)
  expect(failed).toMatchObject({ ok: false, error: expect.any(String) })
  expect(output.stderr).toBe(`portaria: demo: step ${failed?.step} (${failed?.title}) failed: ${failed?.error}\n`)
  expect(leftBehind()).toEqual([])
})
