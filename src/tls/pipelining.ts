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
 * @param isUrgent whether a request goes in front of others
 */
export function serveInOrder(
  listener: RequestListener,
  turns: RequestTurns,
  isUrgent: (request: IncomingMessage) => boolean = () => false,
): RequestListener {
  const waiting = new WeakMap<Socket, number>()

  return function receive(request, response) {
    const { socket }: { socket: Pausable } = request
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1)

    function serve(): void {
      const left = (waiting.get(socket) ?? 0) - 1
      waiting.set(socket, left)
      if (socket.destroyed) return
      listener(request, response)
      // Node resumes it itself when the caller has read what was sent.
      if (left === 0 && !socket.writableNeedDrain) resume(socket)
    }

    const inTurn = () => turns.take(serve, isUrgent(request))
    // A response has no socket before its turn.
    if (response.socket !== null && inTurn()) return
    // As Node pauses a connection. Otherwise it reads on behind the request.
    socket._paused = true
    socket.pause()
    // Requests of other connections come first, also where all answers of this one are short.
    if (response.socket === null) response.once('socket', inTurn)
  }
}

/** Which request is served in which turn of the event loop, for all connections of a listener. */
export interface RequestTurns {
  /** Serves at once where this turn has room and no other waits, else in a later turn. @returns whether it was served */
  take(serve: () => void, isUrgent: boolean): boolean
  /** A connection was accepted: others may wait to be. */
  accepted(): void
}

/**
 * How many requests are served in one turn of the event loop, and how long all of them may take. Node accepts one connection in each turn: long turns
 * would keep new callers out.
 */
const SERVED_AT_ONCE = 16
const TURN_MS = 5

export function createRequestTurns(now: () => number = () => performance.now()): RequestTurns {
  const [urgent, others]: [(() => void)[], (() => void)[]] = [[], []]
  /** Requests and time of this turn. `beginTurn` sets them, `serveOne` and `accepted` change them. */
  let [left, spentMs] = [SERVED_AT_ONCE, 0]
  let hasAccepted = false
  let isDue = false
  let wasUrgent = false

  /** Alternately, so that many of one sort do not keep the other from its turn. */
  function next(): (() => void) | undefined {
    wasUrgent = !wasUrgent
    return wasUrgent ? (urgent.shift() ?? others.shift()) : (others.shift() ?? urgent.shift())
  }

  function hasRoom(): boolean {
    return left > 0 && spentMs < TURN_MS
  }

  function beDue(): void {
    if (isDue) return
    isDue = true
    setImmediate(beginTurn)
  }

  /** The event loop comes here once in each turn, behind what it read. */
  function beginTurn(): void {
    isDue = false
    // While connections wait to be accepted, one request in each turn.
    left = hasAccepted ? 1 : SERVED_AT_ONCE
    hasAccepted = false
    spentMs = 0
    goOn()
  }

  function goOn(): void {
    const serve = hasRoom() ? next() : undefined
    if (serve === undefined) {
      // Also where none waits: the next request finds room then.
      if (urgent.length + others.length > 0 || !hasRoom()) beDue()
      return
    }
    left--
    const beganAt = now()
    serve()
    // Behind everything that the request does without waiting: its time counts, too.
    queueMicrotask(() =>
      process.nextTick(() => {
        spentMs += now() - beganAt
        goOn()
      }),
    )
  }

  return {
    take(serve, isUrgent) {
      beDue()
      if (hasRoom() && urgent.length + others.length === 0) {
        left--
        const beganAt = now()
        serve()
        spentMs += now() - beganAt
        return true
      }
      ;(isUrgent ? urgent : others).push(serve)
      return false
    },
    accepted() {
      hasAccepted = true
      left = Math.min(left, 1)
    },
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
