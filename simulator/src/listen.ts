import { once } from 'node:events'
import type { Server } from 'node:https'
import { type AddressInfo, createServer, type Server as PlainServer } from 'node:net'
import { messageOf, SimulatorError, systemCodeOf } from './errors.ts'

/** What is open, and how to close it at once. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** As the gateway's listeners. */
const KEEP_ALIVE_MS = 65_000

/**
 * Opens a server on 127.0.0.1 and ::1, because `localhost` may mean either; or on one address.
 * @param port 0: any @param option that names the port, for the error @throws SimulatorError `port_in_use`
 */
export async function listen(
  server: Server | import('node:http').Server,
  { host, port, option }: { host: string | null; port: number; option: string },
): Promise<Listening> {
  // Node's 5 s are short: a client may use a connection in the moment in which it is closed, and its request fails.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await open(server, host ?? '127.0.0.1', port, option)
  const opened = (server.address() as AddressInfo).port
  const second = host === null ? await openSecond(server, opened, port === 0 ? null : option) : undefined
  return {
    port: opened,
    async close() {
      second?.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * A machine without IPv6 has no ::1.
 * @param option null: the system chose the port, and ::1 is left to the program that has this port there @throws SimulatorError `port_in_use`
 */
async function openSecond(
  server: Server | import('node:http').Server,
  port: number,
  option: string | null,
): Promise<PlainServer | undefined> {
  const second = createServer((socket) => void server.emit('connection', socket))
  second.listen({ port, host: '::1' })
  try {
    await once(second, 'listening')
    return second
  } catch (cause) {
    if (option === null || systemCodeOf(cause) !== 'EADDRINUSE') return undefined
    server.close()
    throw inUse({ port, host: '::1', option }, cause)
  }
}

async function open(server: PlainServer, host: string, port: number, option: string): Promise<void> {
  server.listen({ port, host })
  try {
    await once(server, 'listening')
  } catch (cause) {
    if (systemCodeOf(cause) === 'EADDRINUSE') throw inUse({ port, host, option }, cause)
    const text = `port ${port} on ${host} cannot be opened (${messageOf(cause)}): choose another address, or another port with ${option}`
    throw new SimulatorError('port_in_use', text, { cause })
  }
}

function inUse({ port, host, option }: { port: number; host: string; option: string }, cause: unknown): SimulatorError {
  const text = `port ${port} on ${host} is used by another program: stop that program, or choose another port with ${option}`
  return new SimulatorError('port_in_use', text, { cause })
}
