import { spawn } from 'node:child_process'
import { messageOf } from '../../platform/errors.ts'
import type { AlarmLine, AlarmMessage } from '../message.ts'
import { AlarmFailure, type Channel, failureOf } from './channel.ts'

export interface CommandOptions {
  readonly name: string
  /** A program and its arguments. */
  readonly command: readonly string[]
}

/** Of what it writes, for the reason of a failure. */
const OUTPUT_LIMIT = 4096
/** How long the last words of a program that failed may take, once it has ended. */
const LAST_WORDS_MS = 200
/** Its own environment would bring the secrets of the gateway. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Starts a program for each message, without a shell: the text on its standard input, the facts in its environment. Success is the exit code 0. */
export function createCommandChannel({ name, command: [program = '', ...args] }: CommandOptions): Channel {
  return {
    name,
    send(message, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const env = { PATH, LANG: 'C.UTF-8', ...factsOf(message) }
      // A group of its own, so that what it has started ends with it.
      const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'pipe'], detached: true, shell: false })
      let written = ''
      const kill = () => {
        reject(new AlarmFailure('program_killed'))
        if (child.pid !== undefined) killGroup(child.pid)
      }
      // Read to its end, however long what it has started writes there: a closed pipe would end that.
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (written.length < OUTPUT_LIMIT) written += text
      })
      child.on('error', (error: NodeJS.ErrnoException) =>
        reject(failureOf('program_missing', error.code ?? messageOf(error))),
      )
      child.on('exit', (code, killedBy) => {
        signal.removeEventListener('abort', kill)
        if (code === 0) return resolve()
        const fail = () =>
          reject(failureOf('program_failed', `${killedBy ?? `exit code ${code}`}: ${written}`.replace(/: $/, '')))
        // What it has started may have the pipe open for longer.
        const late = setTimeout(fail, LAST_WORDS_MS)
        child.once('close', () => {
          clearTimeout(late)
          fail()
        })
      })
      // It may end without reading.
      child.stdin.on('error', () => undefined)
      child.stdin.end(`${message.text}\n`)
      if (signal.aborted) kill()
      else signal.addEventListener('abort', kill, { once: true })
      return promise
    },
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

function factsOf({ gateway, title, isTest, began, ended, goingOn }: AlarmMessage): Record<string, string> {
  const codesOf = (lines: readonly AlarmLine[]) => [...new Set(lines.map(({ code }) => code))].join(' ')
  const isProblem = [...began, ...goingOn].some(({ severity }) => severity === 'problem')
  return {
    PORTARIA_ALARM_GATEWAY: gateway,
    PORTARIA_ALARM_TITLE: title,
    PORTARIA_ALARM_BEGAN: codesOf(began),
    PORTARIA_ALARM_ENDED: codesOf(ended),
    PORTARIA_ALARM_GOING_ON: codesOf(goingOn),
    PORTARIA_ALARM_SEVERITY: isProblem ? 'problem' : began.length + goingOn.length > 0 ? 'warning' : '',
    PORTARIA_ALARM_TEST: isTest ? '1' : '',
  }
}
