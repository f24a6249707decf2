import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Manner, start } from '../../processes.ts'

const START_LIMIT_MS = 120_000

export interface Service {
  readonly pids: readonly number[]
  /** As its clients take it. */
  readonly address: string
}

/** A program of Debian in the foreground, with its output in a file of the folder. @returns its process id when it is ready */
export async function startService(
  folder: string,
  command: readonly string[],
  manner: Manner,
  isReady: () => Promise<boolean>,
): Promise<number> {
  const output = join(folder, 'services.log')
  const log = openSync(output, 'a')
  const child = start(command, manner, ['ignore', log, log])
  closeSync(log)
  const deadline = performance.now() + START_LIMIT_MS
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline)
      throw new Error(`${command.join(' ')} did not start: ${readFileSync(output, 'utf8').slice(-2000)}`)
    await wait(50)
  }
  return child.pid as number
}

/** Whether it accepts connections. @param address a TCP port of 127.0.0.1, or the path of a socket */
export function accepts(address: number | string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(typeof address === 'number' ? { port: address, host: '127.0.0.1' } : { path: address })
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}
