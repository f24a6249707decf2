import { once } from 'node:events'
import type { Server } from 'node:https'
import { type AddressInfo, createServer, type Server as PlainServer } from 'node:net'
import { messageOf, SimulatorError, systemCodeOf } from './errors.ts'

/** What is open, and how to close it at once. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/**
 * Opens a server on 127.0.0.1 and ::1, because `localhost` may mean either; or on one address.
 * @param port 0: any @param option that names the port, for the error @throws SimulatorError `port_in_use`
 */
export async function listen(
  server: Server | import('node:http').Server,
  { host, port, option }: { host: string | null; port: number; option: string },
): Promise<Listening> {
  await open(server, host ?? '127.0.0.1', port, option)
  const opened = (server.address() as AddressInfo).port
  const second = host === null ? await openSecond(server, opened) : undefined
  return {
    port: opened,
    async close() {
      second?.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A machine without IPv6 has no ::1. */
async function openSecond(server: Server | import('node:http').Server, port: number): Promise<PlainServer | undefined> {
  const second = createServer((socket) => void server.emit('connection', socket))
  second.listen({ port, host: '::1' })
  try {
    await once(second, 'listening')
    return second
  } catch {
    return undefined
  }
}

async function open(server: PlainServer, host: string, port: number, option: string): Promise<void> {
  server.listen({ port, host })
  try {
    await once(server, 'listening')
  } catch (cause) {
    const isTaken = systemCodeOf(cause) === 'EADDRINUSE'
    const text = isTaken
      ? `port ${port} on ${host} is used by another program: stop that program, or choose another port with ${option}`
      : `port ${port} on ${host} cannot be opened (${messageOf(cause)}): choose another one with ${option}`
    throw new SimulatorError('port_in_use', text, { cause })
  }
}
