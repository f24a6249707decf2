import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Strangers {
  /** How many of their connections are open now. */
  open(): number
  /** How many connections they have made. */
  made(): number
}

const RECONNECT_MS = 1000

/**
 * Connections from these loopback addresses on which nothing is sent; a caller that is cut off comes back until `mostMade` were made. All have
 * connected once when it returns, and are destroyed when the test is over.
 */
export async function sendStrangers(
  port: number,
  { count, addresses = ['127.0.0.1'], mostMade = count }: { count: number; addresses?: string[]; mostMade?: number },
): Promise<Strangers> {
  const sockets = new Set<Socket>()
  let made = 0
  let isOver = false
  onTestFinished(() => {
    isOver = true
    for (const socket of sockets) socket.destroy()
  })

  function connectOne(number: number): Socket {
    made++
    const localAddress = addresses[number % addresses.length] as string
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(() => isOver || made >= mostMade || connectOne(number), RECONNECT_MS)
    })
    return socket
  }

  const BATCH = 100
  for (let start = 0; start < count; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - start) }, (_, i) => connectOne(start + i))
    await Promise.all(batch.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  }
  return { open: () => sockets.size, made: () => made }
}
