import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import { reservePort } from './ports.ts'

/** The simulator's program, as a package brings it, in an empty folder of its user. */
export interface Alone {
  readonly command: readonly [string, ...string[]]
  readonly folder: string
  /** docs/examples of the package. */
  readonly examples: string
  readonly env?: Readonly<Record<string, string>>
  /** Left out: who runs the tests. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program until it ends. */
export async function say(alone: Alone, ...args: string[]): Promise<Said> {
  const [program, ...before] = alone.command
  return ended(start(alone, program, [...before, ...args]))
}

function start(
  { folder, user, env: own }: Alone,
  program: string,
  args: readonly string[],
  more: object = {},
): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    // Where the registry is reached through a proxy with a certificate of its own.
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
    LC_ALL: 'C.UTF-8',
    npm_config_prefer_offline: 'true',
    ...own,
    ...more,
  }
  return spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], ...user })
}

async function ended(child: ChildProcess): Promise<Said> {
  const code = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)])
  return { code: (await code)[0], stdout, stderr }
}

async function firstOutput(child: ChildProcess): Promise<void> {
  await Promise.race([once(child.stdout as never, 'data'), once(child, 'close')])
  if (child.exitCode !== null) throw new Error(`it ended: ${await text(child.stderr as never)}`)
}

/** What the first page of the simulator promises: it starts, judges the sample receiver, sends it a callback, takes the tour, and ends. */
export async function tryAll(alone: Alone): Promise<void> {
  const [port, controlPort] = [await reservePort(1), await reservePort()]
  const [program, ...before] = alone.command
  const simulator = start(alone, program, [...before, '--port', `${port}`, '--control-port', `${controlPort}`])
  onTestFinished(() => void simulator.kill('SIGKILL'))
  await firstOutput(simulator)
  expect(await say(alone, 'conformance', 'chain', '--folder', 'chains')).toMatchObject({ code: 0, stderr: '' })

  const own = ['server.crt', 'server.key'].map((name) => join('data/simulator', name))
  const chains = ['production', 'sandbox'].map((name) => `chains/conformance-${name}.pem`)
  const url = await sampleReceiver(alone, [...own, ...chains])
  const authority = ['--ca', 'data/simulator/server-ca.crt']
  const judged = await say(alone, 'conformance', url, ...authority, '--log', 'received.log', '--json')
  const { scenarios, ok } = JSON.parse(judged.stdout) as { ok: boolean; scenarios: { verdict: string }[] }
  expect({ ok, code: judged.code, stderr: judged.stderr }).toEqual({ ok: true, code: 0, stderr: '' })
  expect(scenarios.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(30)
  const triggered = await say(alone, 'trigger', 'payment', 'LIQUIDADO', '--to', url, ...authority)
  expect(triggered).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(/^✓ payment LIQUIDADO .*: 200 /) })

  const tour = start(alone, 'sh', [join(alone.examples, 'simulator-tour.sh')], {
    SIMULATOR: `https://localhost:${port}`,
    CONTROL: `http://localhost:${controlPort}/control`,
  })
  const { code, stderr, stdout } = await ended(tour)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('complete:')

  const over = once(simulator, 'exit')
  simulator.kill('SIGTERM')
  expect(await over).toEqual([0, null])
}

/** @param files its certificate, its key, and what it trusts @returns the address of its callbacks */
export async function sampleReceiver(alone: Alone, files: readonly string[]): Promise<string> {
  const port = await reservePort()
  const args = [join(alone.examples, 'receiver.mjs'), ...files]
  const receiver = start(alone, process.execPath, args, { PORT: `${port}` })
  onTestFinished(() => void receiver.kill())
  await firstOutput(receiver)
  return `https://localhost:${port}/callbacks`
}
