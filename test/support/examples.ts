import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'

const FOLDER = resolve(import.meta.dirname, '../../docs/examples')

/** In which languages each example is there, and what runs it. */
const LANGUAGES = [
  { language: 'shell', ending: 'sh', command: 'sh', isThere: ['curl --version', 'openssl version'].every(succeeds) },
  { language: 'Node', ending: 'mjs', command: process.execPath, isThere: true },
  { language: 'Python', ending: 'py', command: 'python3', isThere: succeeds('python3 --version') },
] as const

export type Language = (typeof LANGUAGES)[number]

/** Those that this machine has. */
export const THERE: readonly Language[] = LANGUAGES.filter(({ isThere }) => isThere)

function succeeds(command: string): boolean {
  const [program = '', ...args] = command.split(' ')
  return spawnSync(program, args).status === 0
}

export interface RunningExample {
  /** Standard output so far. */
  said(): string
  /** With all that it has started. */
  kill(): Promise<void>
}

/** An example, as an integrator starts it. */
export function startExample(name: string, { command, ending }: Language, env: Record<string, string>): RunningExample {
  const child: ChildProcess = spawn(command, [resolve(FOLDER, `${name}.${ending}`)], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A process group of its own: the shell waits for curl.
    detached: true,
  })
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const exited = new Promise<void>((done) => child.once('close', () => done()))
  async function kill(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL')
    await exited
  }
  onTestFinished(kill)
  return { said: () => said, kill }
}

/** Runs one to its end. */
export function runExample(
  name: string,
  { command, ending }: Language,
  { args, env, input }: { args: readonly string[]; env: Record<string, string>; input: Uint8Array },
): number | null {
  const options = { env: { PATH: process.env.PATH ?? '', ...env }, input }
  return spawnSync(command, [resolve(FOLDER, `${name}.${ending}`), ...args], options).status
}
