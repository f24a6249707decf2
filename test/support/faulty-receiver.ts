import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { reservePort } from './ports.ts'
import type { Received } from './receiver.ts'

/** What a faulty system does with a connection, from its first byte on. */
export type Fault = (socket: Socket) => void

interface Identity {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

export interface FaultyReceiver {
  readonly port: number
  /** Requests that were taken and answered 200. */
  readonly received: readonly Received[]
  /** Connections that met the fault. */
  readonly faults: number
  /** From now on it takes everything and answers 200. */
  heal(): Promise<void>
}

export interface FaultyReceiverOptions {
  /** null: no one listens. */
  readonly fault: Fault | null
  /** With it, it speaks TLS once it is healthy. */
  readonly tls?: Identity
}

/** An integrator's system in trouble; on 127.0.0.1 until the test is over. */
export async function startFaultyReceiver({ fault, tls }: FaultyReceiverOptions): Promise<FaultyReceiver> {
  const received: Received[] = []
  const healthy = tls === undefined ? createHttpServer(take(received)) : createHttpsServer(tls, take(received))
  const sockets = new Set<Socket>()
  let isHealthy = false
  let faults = 0
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.on('close', () => sockets.delete(socket))
    if (isHealthy || fault === null) {
      healthy.emit('connection', socket)
      return
    }
    faults++
    fault(socket)
  })
  const port = await reservePort()
  if (fault !== null) await listen(server, port)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await closed(server)
  })
  return {
    port,
    received,
    get faults() {
      return faults
    },
    async heal() {
      isHealthy = true
      for (const socket of sockets) socket.destroy()
      if (fault === null) await listen(server, port)
    },
  }
}

function take(received: Received[]): RequestListener {
  return async function takeRequest(request, response) {
    try {
      const body = Buffer.concat(await request.toArray())
      received.push({ path: request.url ?? '', headers: request.headers, body })
      response.end('thanks')
    } catch {
      // Cut off in the middle, when the gateway was killed: it will come again.
      response.destroy()
    }
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Takes the request and never answers. */
export const silence: Fault = (socket) => void socket.resume()

/** Takes the request and closes. */
export const closing: Fault = (socket) => void socket.once('data', () => socket.destroy())

/** Closes before anything was asked. */
export const hangingUp: Fault = (socket) => void socket.destroy()

/** Answers these bytes, and then leaves the connection as it is, or closes it. */
export function answering(text: string | Buffer, after: 'close' | 'stay' = 'stay'): Fault {
  return (socket) =>
    void socket.once('data', () => {
      socket.resume().write(text)
      if (after === 'close') socket.end()
    })
}

/** Answers `start`, then this again and again, as long as somebody listens. */
export function answeringWithoutEnd(start: string, again: string | Buffer, everyMs: number): Fault {
  return (socket) =>
    void socket.once('data', () => {
      socket.resume().write(start)
      const timer = setInterval(() => socket.write(again), everyMs)
      socket.once('close', () => clearInterval(timer))
    })
}

/** A byte of a good answer each second. */
export const dribbling: Fault = (socket) =>
  void socket.once('data', () => {
    socket.resume()
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
    let at = 0
    const timer = setInterval(() => socket.write(answer.charAt(at++ % answer.length)), 1000)
    socket.once('close', () => clearInterval(timer))
  })

/** A TLS server with another certificate than the right one. */
export function wrongCertificate(identity: Identity): Fault {
  const server = createHttpsServer(identity).on('tlsClientError', () => undefined)
  return (socket) => void server.emit('connection', socket)
}
