import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { until } from './until.ts'

export interface ForegroundProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Whether it serves. */
  readonly isReady: () => Promise<boolean>
}

/**
 * A server that stays in the foreground, and ends itself and its children at SIGTERM.
 * @returns what ends it
 * @throws with its standard error when it ends before it serves
 */
export async function startProgram({
  command,
  args,
  env,
  cwd,
  isReady,
}: ForegroundProgram): Promise<() => Promise<void>> {
  const program = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env }, cwd })
  const exited = once(program, 'exit')
  const complaint = text(program.stderr)
  const stop = async () => {
    program.kill('SIGTERM')
    await exited
  }
  const hasEnded = () => program.exitCode !== null || program.signalCode !== null
  try {
    await until(async () => hasEnded() || (await isReady()))
  } catch (error) {
    await stop()
    throw error
  }
  if (hasEnded()) throw new Error(`${command} ended: ${await complaint}`)
  return stop
}
