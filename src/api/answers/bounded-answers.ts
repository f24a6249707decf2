/** What callers do not read stays in memory: the answers of one process are bounded together, before they are built and while they wait to be read. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Express, RequestHandler } from 'express'
import { type Caller, clientOf } from '../../domain/client.ts'
import { type AnswerAccount, createAnswerBudget } from '../../platform/answer-budget.ts'
import { PortariaError } from '../../platform/errors.ts'
import { ServerResponse as NodeResponse } from '../../platform/http.ts'
import { createCountedLineLimit } from '../../platform/line-limit.ts'
import type { Log } from '../../platform/log.ts'
import { createTurns } from '../../platform/turns.ts'
import { addressOf, networkOf } from '../../tls/remote-address.ts'
import { callerOf, knownClientOf } from '../auth/authentication.ts'

export interface BoundedAnswers {
  /** Counts every answer of this application from its end until it is read. */
  watch(app: Express): void
  /** Behind the authentication: waits until the client may have one more answer built. */
  readonly takeTurn: RequestHandler
  /** One of the client's turns, for an answer or a part of one. @returns how to give it back */
  turnOf(caller: Caller): Promise<() => void> | (() => void)
  /** The request begins to wait for something else than the store: others may have its turn. */
  endTurn(response: ServerResponse): void
  /** The account of the request's connection, for an answer in parts. */
  accountOf(request: IncomingMessage): AnswerAccount
  /** Bytes that wait to be read. */
  bytes(): number
}

const LIMIT_BYTES = 16 * 1024 ** 2
const UNREAD_MS = 30_000
/** Building a page of events takes several times its size. One thread builds all of them, so more at a time would only take more memory. */
const TURNS = { places: 2, placesOfKey: 1, waitingOfKey: 500 }
/** From this size on, an answer has to have room before it is sent. */
const LARGE_BYTES = 16 * 1024
/** A page of events. A client without room for it has nothing built. */
const LARGEST_BYTES = 4 * 1024 ** 2
/** A larger answer is written in pieces, because TLS keeps what was written a second time. */
const PIECE_BYTES = 128 * 1024
const TEN_A_MINUTE = { lines: 10, perMs: 60_000 }

const NO_ROOM =
  'too many bytes of earlier answers wait to be read: read them, or ask for smaller pages, and try again later'

export interface BoundedAnswersOptions {
  readonly log: Log
  readonly now: () => number
  /** Default 16 MiB. */
  readonly limitBytes?: number
  /** An answer ends whose reader takes nothing of it for so long; default 30 s. */
  readonly unreadMs?: number
}

export function createBoundedAnswers(options: BoundedAnswersOptions): BoundedAnswers {
  const { log, now, limitBytes = LIMIT_BYTES, unreadMs = UNREAD_MS } = options
  const takeLine = createCountedLineLimit(now, TEN_A_MINUTE)
  const budget = createAnswerBudget({
    limitBytes,
    onCut(reader, bytes) {
      const line = takeLine()
      if (line !== null) log.warn({ reader, bytes, ...line }, 'answer.cut')
    },
  })
  const turns = createTurns(TURNS)
  const turnOf = (caller: Caller) => turns.take(clientOf(caller))
  const held = new WeakMap<ServerResponse, () => void>()
  const accounts = new WeakMap<Socket, AnswerAccount>()
  const { end: nodeEnd } = NodeResponse.prototype

  function endTurn(response: ServerResponse): void {
    held.get(response)?.()
  }

  /** @throws PortariaError `queue_full` where so many bytes have no room */
  function requireRoom(response: ServerResponse, bytes: number): void {
    const isLarge = bytes >= LARGE_BYTES && isOnConnection(response)
    if (isLarge && !budget.hasRoom(readerOf(response.req), bytes)) throw new PortariaError('queue_full', NO_ROOM)
  }

  function accountOf(request: IncomingMessage): AnswerAccount {
    const { socket } = request
    const known = accounts.get(socket)
    if (known !== undefined) return known
    const account = cutUnread(
      socket,
      budget.open(readerOf(request), () => void socket.destroy()),
      unreadMs,
    )
    accounts.set(socket, account)
    socket.once('close', () => account.close())
    return account
  }

  /** Counts what Node could not send at once, until it is sent. */
  function count(response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes === 0 || response.req.socket.destroyed) return
    const account = accountOf(response.req)
    account.add(bytes)
    // Before Node's own listener, which begins the time of an idle connection.
    response.prependOnceListener('finish', () => account.taken(bytes))
  }

  function sendInPieces(response: ServerResponse, body: Buffer): void {
    const account = accountOf(response.req)
    account.add(body.length)
    let [sent, taken] = [0, 0]
    function take(upTo: number): void {
      account.taken(upTo - taken)
      taken = upTo
    }
    function sendMore(): void {
      take(sent)
      while (sent < body.length) {
        const piece = body.subarray(sent, sent + PIECE_BYTES)
        sent += piece.length
        if (sent === body.length) nodeEnd.call(response, piece, 'latin1')
        else if (!response.write(piece)) return
      }
    }
    response.on('drain', sendMore)
    response.prependOnceListener('finish', () => take(body.length))
    sendMore()
  }

  function end(this: ServerResponse, ...args: Parameters<ServerResponse['end']>): ServerResponse {
    endTurn(this)
    const [body, encoding] = args as [unknown, unknown]
    const size = Buffer.isBuffer(body) ? body.length : typeof body === 'string' ? body.length : 0
    if (size >= LARGE_BYTES && !this.headersSent) requireRoom(this, size)
    if (size < PIECE_BYTES || this.req.method === 'HEAD' || this.req.socket.destroyed) {
      nodeEnd.apply(this, args)
      count(this)
      return this
    }
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body as string, encoding as BufferEncoding)
    if (!this.headersSent) this.setHeader('content-length', bytes.length)
    sendInPieces(this, bytes)
    return this
  }

  return {
    accountOf,
    turnOf,
    endTurn,
    watch(app) {
      // Not enumerable: answers to pages have no connection, and no copy of it.
      Object.defineProperty(app.response, 'end', { value: end, writable: true })
    },
    takeTurn(request, response, next) {
      function begin(leave: () => void): void {
        if (request.socket.destroyed) return leave()
        held.set(response, leave)
        response.once('close', leave)
        requireRoom(response, Math.min(LARGEST_BYTES, limitBytes / 4))
        next()
      }
      const turn = turnOf(callerOf(request))
      return typeof turn === 'function' ? begin(turn) : turn.then(begin)
    },
    bytes: budget.bytes,
  }
}

/** Limits the time in which bytes of the account wait and the reader takes none. The time of a socket begins again with all that the system takes. */
function cutUnread(socket: Socket, account: AnswerAccount, unreadMs: number): AnswerAccount {
  const idleMs = (socket as Socket & { readonly server?: Server }).server?.timeout ?? 0
  let waiting = 0
  function change(bytes: number): void {
    const isNew = waiting === 0
    waiting = Math.max(0, waiting + bytes)
    if (isNew || waiting === 0) socket.setTimeout(waiting === 0 ? idleMs : unreadMs)
  }
  socket.on('timeout', () => {
    if (waiting > 0) account.cut()
  })
  return {
    add(bytes) {
      change(bytes)
      account.add(bytes)
    },
    taken(bytes) {
      change(-bytes)
      account.taken(bytes)
    },
    close: () => account.close(),
    cut: () => account.cut(),
  }
}

/** Who is to read an answer: the client, or an address. */
function readerOf(request: IncomingMessage): string {
  return knownClientOf(request) ?? networkOf(addressOf(request.socket))
}

/** False: a page asks, which reads at once. */
function isOnConnection({ req }: ServerResponse): boolean {
  return (req.socket as Socket & { readonly server?: object }).server !== undefined
}
