import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps every byte of a caller that sends requests without waiting for answers. Node 24 stops reading such a connection while many answers wait to be
 * sent. On TLS its parser then refuses the bytes that are decrypted already (`HPE_PAUSED`): they are lost, and good requests look like broken ones.
 */
export function keepPipelinedBytes(server: Server): void {
  const kept = new WeakSet<Socket>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // A response has no socket before its turn. Bytes can wait only for another one's answer, so other connections keep the quick way.
    if (response.socket !== null || kept.has(socket)) return
    kept.add(socket)
    // Node's parser stops taking bytes from the connection itself when anyone else listens. From then on a stream keeps them while the parser pauses.
    socket.on('data', ignore).off('data', ignore)
  })
}

/**
 * Makes the answer to a request with an `Upgrade` header the last one of its connection. Node 24 drops what comes behind such a request in the same read,
 * and goes on in the middle of the next one, where the bytes of a body could pass for a request.
 */
export function endBehindUpgrades(server: Server): void {
  // Prepended, because a request may be answered at once.
  server.prependListener('request', ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
    if (headers.upgrade === undefined) return
    response.shouldKeepAlive = false
    const { parser } = socket as { parser?: { onIncoming?: unknown } | null }
    if (parser) parser.onIncoming = ignore
  })
}

/** A few requests. */
const SLICE_BYTES = 1024

/** Has Node read what callers send in small slices: a connection that is paused between two of them has no more requests read. Keeps every byte. */
export function readInSlices(server: Server, event: 'connection' | 'secureConnection'): void {
  server.on(event, (socket: Socket) => {
    const push = socket.push.bind(socket)
    socket.push = function pushSlices(chunk: Buffer | null) {
      if (chunk === null || chunk.length <= SLICE_BYTES) return push(chunk)
      let isWanted = true
      for (let from = 0; from < chunk.length; from += SLICE_BYTES)
        isWanted = push(chunk.subarray(from, from + SLICE_BYTES))
      return isWanted
    }
    // As in `keepPipelinedBytes`.
    socket.on('data', ignore).off('data', ignore)
  })
}

/** Bytes that were read from a connection before its protocol began, in such slices. */
export function putBack(socket: Socket, bytes: Buffer): void {
  for (let to = bytes.length; to > 0; to -= SLICE_BYTES)
    socket.unshift(bytes.subarray(Math.max(0, to - SLICE_BYTES), to))
}

/**
 * Serves the requests of a connection one after another, and reads no more while some wait. A request that is served while an earlier answer is unread
 * would keep its whole state and its answer; one that waits here keeps its head.
 */
export function serveInOrder(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  const inTurn = createTurns()

  return function receive(request, response) {
    // A response has no socket before its turn.
    if (response.socket !== null) return listener(request, response)
    const socket: Pausable = request.socket
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1)
    // As Node pauses a connection. Otherwise it reads on behind the request.
    socket._paused = true
    socket.pause()
    response.once('socket', () => {
      // Requests of other connections come first, also where all answers of this one are short.
      inTurn(() => {
        if (socket.destroyed) return
        listener(request, response)
        const left = (waiting.get(socket) ?? 0) - 1
        waiting.set(socket, left)
        // Node resumes it itself when the caller has read what was sent.
        if (left === 0 && !socket.writableNeedDrain) resume(socket)
      })
    })
  }
}

/** Requests that waited, served in one turn of the event loop. In each turn Node accepts one connection: long turns would keep new callers out. */
const SERVED_AT_ONCE = 16

/** Runs each in a later turn of the event loop, in their order, some in each. */
function createTurns(): (act: () => void) => void {
  const queue: (() => void)[] = []
  let isDue = false

  function beDue(): void {
    isDue = queue.length > 0
    if (isDue) setImmediate(takeTurn)
  }

  function takeTurn(): void {
    for (const act of queue.splice(0, SERVED_AT_ONCE)) act()
    beDue()
  }

  return function inTurn(act) {
    queue.push(act)
    if (!isDue) beDue()
  }
}

/** A connection with fields of Node's that are not documented. */
type Pausable = Socket & { _paused?: boolean; readonly parser?: { resume?(): void } | null }

function resume(socket: Pausable): void {
  if (!socket._paused) return
  socket._paused = false
  socket.parser?.resume?.()
  socket.resume()
}

function ignore(): void {}
