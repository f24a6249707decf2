import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * What becomes of the bytes. `passed`: they arrive. `dropped`: none arrives in either direction, connections are accepted and stay open, as where a
 * network loses every packet. `refused`: every connection is reset, also a new one.
 */
export type ProxyMode = 'passed' | 'dropped' | 'refused'

export interface TcpProxy {
  readonly port: number
  setMode(mode: ProxyMode): void
  /** Each piece of either direction arrives so much later. */
  setDelay(ms: number): void
  /** Connections that are open go on to the earlier target. */
  setTarget(port: number): void
  /** Resets every connection. */
  cut(): void
  /**
   * The next commit of any connection reaches the server, and its answer does not arrive.
   * @param then the connection is reset, or it stays open and drops everything
   * @param statement instead of a commit, what has this text
   * @returns once that has happened
   */
  loseNextCommit(then: 'reset' | 'silence', statement?: string): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** From a commit whose answer is lost. */
  isLosing: boolean
  isSilent: boolean
}

interface Loss {
  readonly statement: string
  readonly then: 'reset' | 'silence'
  readonly done: () => void
}

/** With the end of the message: transactions are "read committed", too. */
const COMMIT = 'commit\0'

/** A proxy of TCP on loopback, until the test is over. It understands as much of PostgreSQL's protocol as to find a commit. */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let mode: ProxyMode = 'passed'
  let delayMs = 0
  let to = target
  let loss: Loss | null = null

  const server = createServer((client) => {
    if (mode === 'refused') return void client.resetAndDestroy()
    const pair: Pair = { client, server: connect(to, '127.0.0.1'), isLosing: false, isSilent: false }
    pairs.add(pair)
    pass(client, pair.server, pair)
    pass(pair.server, client, pair)
  })

  function pass(from: Socket, into: Socket, pair: Pair): void {
    const queue: { readonly bytes: Buffer; readonly dueAt: number }[] = []
    from.setNoDelay(true)
    from.on('error', () => undefined)
    from.on('close', () => {
      pairs.delete(pair)
      into.destroy()
    })
    from.on('data', (bytes) => {
      // A byte that a network lost comes later in TCP, or never: none is left out of a connection that goes on.
      if (mode === 'dropped') pair.isSilent = true
      if (pair.isSilent) return
      if (from === pair.client) lookForCommit(bytes, pair)
      else if (pair.isLosing && loss !== null) return lose(pair, loss)
      queue.push({ bytes, dueAt: performance.now() + delayMs })
      if (queue.length === 1) forward()
    })
    /** In their order, also when the delay gets shorter. */
    function forward(): void {
      for (let first = queue[0]; first !== undefined && !pair.isSilent; first = queue[0]) {
        const waitMs = first.dueAt - performance.now()
        if (waitMs > 0) return void setTimeout(forward, waitMs)
        into.write(first.bytes)
        queue.shift()
      }
    }
  }

  function lookForCommit(bytes: Buffer, pair: Pair): void {
    if (loss !== null && bytes.includes(loss.statement)) pair.isLosing = true
  }

  function lose(pair: Pair, { then, done }: Loss): void {
    if (then === 'silence') pair.isSilent = true
    else reset(pair)
    pair.isLosing = false
    done()
    loss = null
  }

  function reset({ client, server: upstream }: Pair): void {
    client.resetAndDestroy()
    upstream.resetAndDestroy()
  }

  function cut(): void {
    for (const pair of pairs) reset(pair)
  }

  await once(server.listen(port, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    setMode(next) {
      mode = next
      if (next === 'refused') cut()
    },
    setDelay(ms) {
      delayMs = ms
    },
    setTarget(next) {
      to = next
    },
    loseNextCommit(then, statement = COMMIT) {
      return new Promise((done) => {
        loss = { statement, then, done }
      })
    },
  }
}
