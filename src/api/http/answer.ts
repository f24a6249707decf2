import type { Socket } from 'node:net'
import type { Response } from 'express'
import { REQUEST_ID } from './request-id.ts'

/** Answers with a value as JSON. */
export function sendJson(response: Response, value: unknown): void {
  sendJsonText(response, JSON.stringify(value))
}

/**
 * Answers with text that is JSON already: callbacks' data keeps its numbers as they were written. Bytes may be shared by several answers.
 * Without Express's `send`, which takes a tenth of the time of a short answer.
 */
export function sendJsonText(response: Response, text: string | Buffer): void {
  prepareJson(response, text)
  // Node leaves the text out for HEAD.
  response.end(text, encodingOf(text))
}

/** Sets the headers that depend on the text. */
function prepareJson(response: Response, text: string | Buffer): void {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text))
}

/** ASCII is the same in both encodings, and Node copies Latin-1 without converting it. */
function encodingOf(text: string | Buffer): BufferEncoding {
  return Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8'
}

/** An answer that Node made. */
interface SharedAnswer {
  readonly text: string | Buffer
  readonly head: string
  /** Where the request id is in the head. */
  readonly from: number
  readonly to: number
  /** Head and text, with the request id of the latest answer; null: the text is bytes, which may be many. */
  whole: Buffer | null
}

/** The head of a response as text, and whether Node has sent it, in fields that are not documented. */
interface WithHead {
  _header?: string | null
  _headerSent?: boolean
}

/**
 * For the answers of one server. Sends JSON as `sendJsonText` does. Equal texts that are sent in one turn of the event loop share the head that Node makes
 * for the first, and their bytes, because one event answers thousands of pollers at once: that saves a third of their CPU time, and half of their memory.
 * Heads must differ by nothing but the request id.
 */
export function shareHeads(): typeof sendJsonText {
  let shared: SharedAnswer | null = null

  function sendFirst(response: Response & WithHead, text: string | Buffer): void {
    if (shared === null) process.nextTick(() => (shared = null))
    prepareJson(response, text)
    response.writeHead(response.statusCode)
    const { _header: head } = response
    response.end(text, encodingOf(text))
    // Otherwise this version of Node has other fields.
    const isKnown = typeof head === 'string' && response._headerSent === true
    shared = isKnown ? sharedAnswer(head, text) : null
  }

  return function sendShared(response, text) {
    // Node writes the end of a connection into the head.
    const isUsual = isOfServer(response) && response.shouldKeepAlive && !response.hasHeader('connection')
    if (!isUsual) return sendJsonText(response, text)
    if (shared?.text !== text) return sendFirst(response, text)
    sendAgain(response, shared)
  }
}

/** False: the response has no connection, because a page asks. */
function isOfServer({ req }: Response): boolean {
  return (req.socket as Socket & { readonly server?: object }).server !== undefined
}

function sharedAnswer(head: string, text: string | Buffer): SharedAnswer {
  const line = `\r\n${REQUEST_ID}: `
  const from = head.indexOf(line) + line.length
  const to = head.indexOf('\r\n', from)
  const whole = typeof text === 'string' ? Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(text)]) : null
  return { text, head, from, to, whole }
}

function sendAgain(response: Response & WithHead, shared: SharedAnswer): void {
  const { head, from, to, text, whole } = shared
  const { socket, req } = response
  const id = String(response.getHeader(REQUEST_ID))
  // A pipelined response has no connection before its turn.
  const isWritable = socket?.writable === true && req.method !== 'HEAD'
  if (isWritable && whole !== null && id.length === to - from) {
    Object.assign(response, { _header: head, _headerSent: true } satisfies WithHead)
    whole.write(id, from, 'latin1')
    socket.write(whole)
    // The socket still has to send these bytes, so the next answer needs others.
    if (socket.writableLength > 0) shared.whole = Buffer.from(whole)
    response.end()
    return
  }
  const own = `${head.slice(0, from)}${id}${head.slice(to)}`
  Object.assign(response, { _header: own, _headerSent: false } satisfies WithHead)
  response.end(text, encodingOf(text))
}

export function dropUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
