import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import { addressesOf, hostOf } from '../webhooks/receiver-call.ts'
import { type Text, text } from './text.ts'

const CONNECT_MS = 10_000

/** The first address of the URL's name that accepts a connection, or why there is none. */
export async function reachableAddress(url: URL, timeoutMs: number): Promise<{ address: string } | { problem: Text }> {
  const limitMs = Math.min(CONNECT_MS, timeoutMs)
  const host = hostOf(url)
  const found = await Promise.race([addressesOf(host), pause(limitMs, null, { ref: false })])
  if (found === null) return { problem: text('no name server answered for {host}', { host }) }
  if (found instanceof Error) return { problem: text('the name is unknown: {message}', { message: found.message }) }
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443))
  const problems: string[] = []
  for (const { address } of found) {
    const problem = await tryConnect(address, port, limitMs / found.length)
    if (problem === null) return { address }
    problems.push(`${address}: ${problem}`)
  }
  return { problem: text('no connection ({problems})', { problems: problems.join('; ') }) }
}

/** @returns why not; null: it accepts connections */
function tryConnect(host: string, port: number, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const end = (problem: string | null) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => end(null))
    socket.once('timeout', () => end('ETIMEDOUT'))
    socket.once('error', (error) => end((error as NodeJS.ErrnoException).code ?? messageOf(error)))
  })
}
