import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { startProgram } from './foreground-program.ts'

export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0

export interface Haproxy {
  /** Which state its health check has last found, by "section/server": UP, DOWN, or what is between. */
  states(): Promise<Record<string, string>>
}

const DEFAULTS = `defaults
  mode tcp
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  timeout check 10s
`

/** An haproxy in TCP mode until the test is over. @param sections of its configuration, behind the defaults */
export function startHaproxy(folder: string, sections: readonly string[]): Promise<Haproxy> {
  return startConfiguredHaproxy(folder, `${DEFAULTS}${sections.join('\n')}\n`)
}

/** @param configuration the whole of it, without a section `global` */
export async function startConfiguredHaproxy(folder: string, configuration: string): Promise<Haproxy> {
  const haproxy = await spawnHaproxy(folder, configuration)
  onTestFinished(haproxy.stop)
  return haproxy
}

/** As `startConfiguredHaproxy`, until it is stopped. @param folder for its files; made when missing */
export async function spawnHaproxy(
  folder: string,
  configuration: string,
): Promise<Haproxy & { stop: () => Promise<void> }> {
  mkdirSync(folder, { recursive: true })
  const [file, socket] = [join(folder, 'haproxy.cfg'), join(folder, 'haproxy.sock')]
  writeFileSync(file, `global\n  stats socket ${socket} mode 600\n${configuration}`)
  const states = async () => {
    // Fields 0, 1 and 17 of its CSV: proxy, server, status.
    const rows = (await ask(socket, 'show stat')).split('\n').map((line) => line.split(','))
    const servers = rows.filter(([, server = '']) => !['', 'svname', 'FRONTEND', 'BACKEND'].includes(server))
    return Object.fromEntries(servers.map((row) => [`${row[0]}/${row[1]}`, row[17] ?? '']))
  }
  const isReady = () =>
    states().then(
      () => true,
      () => false,
    )
  return { states, stop: await startProgram({ command: 'haproxy', args: ['-db', '-q', '-f', file], isReady }) }
}

async function ask(path: string, command: string): Promise<string> {
  const socket = connect(path)
  await once(socket, 'connect')
  socket.write(`${command}\n`)
  return text(socket)
}
