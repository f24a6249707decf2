import type { Response } from 'express'

/** Answers with a value as JSON. */
export function sendJson(response: Response, value: unknown): void {
  sendJsonText(response, JSON.stringify(value))
}

/**
 * Answers with text that is JSON already: callbacks' data keeps its numbers as they were written. Bytes may be shared by several answers.
 * Without Express's `send`, which takes a tenth of the time of a short answer.
 */
export function sendJsonText(response: Response, text: string | Buffer): void {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text))
  // Node leaves the text out for HEAD.
  response.end(text)
}
