import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy between clients and a server that delays, drops and cuts their connections. */
export interface TcpProxy {
  readonly port: number
  /** Each chunk of bytes waits so long, in both directions; 0: it does not. */
  delay(ms: number): void
  /** Bytes vanish in both directions, also those of new connections; they are not sent later. Connections stay. */
  drop(isDropping: boolean): void
  /** Ends all connections. */
  cut(): void
  /** New connections are ended at once. */
  refuse(isRefusing: boolean): void
  /** The next time that a client sends this text: the server gets it, its answer vanishes, and the connection is cut, or only silent. Resolves then. */
  loseAnswerTo(text: string, end?: 'cut' | 'silence'): Promise<void>
}

interface Loss {
  readonly text: string
  /** The connection whose answer is to vanish. */
  client: Socket | null
  readonly end: 'cut' | 'silence'
  readonly done: () => void
}

/** Until the test is over. @param target port of the server on 127.0.0.1 */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const silent = new Set<Socket>()
  let delayMs = 0
  let isDropping = false
  let isRefusing = false
  let loss: Loss | null = null

  function pass(from: Socket, to: Socket, isFromClient: boolean): void {
    sockets.add(from)
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    from.on('error', () => undefined)
    from.on('data', (bytes) => {
      if (isDropping || silent.has(from) || silent.has(to)) return
      if (isFromClient && loss?.client === null && bytes.includes(loss.text)) loss.client = from
      else if (!isFromClient && loss?.client === to) {
        if (loss.end === 'cut') to.destroy()
        else silent.add(to)
        loss.done()
        loss = null
        return
      }
      if (delayMs === 0) to.write(bytes)
      else setTimeout(() => to.write(bytes), delayMs)
    })
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  const server = createServer((client) => {
    if (isRefusing) {
      client.destroy()
      return
    }
    const upstream = connect(target, '127.0.0.1')
    pass(client, upstream, true)
    pass(upstream, client, false)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    cut()
  })
  return {
    port: (server.address() as { port: number }).port,
    delay(ms) {
      delayMs = ms
    },
    drop(now) {
      isDropping = now
    },
    refuse(now) {
      isRefusing = now
    },
    cut,
    loseAnswerTo: (text, end = 'cut') =>
      new Promise((done) => {
        loss = { text, client: null, end, done }
      }),
  }
}
