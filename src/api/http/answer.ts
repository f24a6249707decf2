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

/** The head that Node made for an answer, without the request id: the parts before and behind it. */
interface SharedHead {
  readonly server: object
  readonly text: string | Buffer
  readonly encoding: BufferEncoding
  readonly before: string
  readonly behind: string
}

/** The head of a response as text, in fields of Node that are not documented. */
interface WithHead {
  _header?: string | null
  _headerSent?: boolean
}

/**
 * Sends JSON as `sendJsonText` does. Equal texts that are sent in one turn of the event loop share the head that Node makes for the first, because one
 * event answers thousands of pollers at once: making each head costs a fifth of their CPU time. Heads must differ by nothing but the request id.
 */
export function shareHeads(): typeof sendJsonText {
  let shared: SharedHead | null = null

  function sendFirst(server: object, response: Response, text: string | Buffer): void {
    if (shared === null) process.nextTick(() => (shared = null))
    prepareJson(response, text)
    response.writeHead(response.statusCode)
    shared = sharedHeadOf(server, response, text)
    response.end(text, encodingOf(text))
  }

  return function sendShared(response, text) {
    const server = serverOf(response)
    // Node writes the end of a connection into the head.
    const isUsual = server !== undefined && response.shouldKeepAlive && !response.hasHeader('connection')
    if (!isUsual) return sendJsonText(response, text)
    if (shared?.server !== server || shared.text !== text) return sendFirst(server, response, text)
    const { before, behind, encoding } = shared
    const head = `${before}${response.getHeader(REQUEST_ID)}${behind}`
    Object.assign(response, { _header: head, _headerSent: false } satisfies WithHead)
    response.end(text, encoding)
  }
}

/** undefined: the response has no connection, because a page asks. */
function serverOf({ req }: Response): object | undefined {
  return (req.socket as Socket & { readonly server?: object }).server
}

/** null: this version of Node keeps its head elsewhere. */
function sharedHeadOf(server: object, response: Response, text: string | Buffer): SharedHead | null {
  const { _header: head } = response as WithHead
  if (typeof head !== 'string') return null
  const line = `\r\n${REQUEST_ID}: `
  const from = head.indexOf(line) + line.length
  const to = head.indexOf('\r\n', from)
  return { server, text, encoding: encodingOf(text), before: head.slice(0, from), behind: head.slice(to) }
}

export function dropUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
