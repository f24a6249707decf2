import type { Response } from 'express'
import type { AnswerAccount } from '../../platform/answer-budget.ts'
import { createPartWriter } from '../answers/part-writer.ts'
import { commentText, messageText, type StreamMessage } from './stream-message.ts'

/** An answer that is an event stream. */
export interface OpenStream {
  /** False: it has ended, or the caller has gone. */
  isOpen(): boolean
  /** The head of the answer was sent. */
  isBegun(): boolean
  /** The caller wants the head of the answer alone. */
  readonly isHead: boolean
  /** Sends the head of the answer. */
  begin(): void
  /** Begins the answer if nothing was sent before. */
  send(message: StreamMessage): void
  /** The caller reads more slowly than messages are sent: send no more until `room`. */
  isFull(): boolean
  /** Resolves when the caller has read what was sent, or the stream has ended. */
  room(): Promise<void>
  /** Ends the current wait, or the next one if none is running. */
  wake(): void
  /** Waits for `wake` or the end of the stream, at most for `atMostMs`; left out: until a comment is due, which it sends. */
  next(atMostMs?: number): Promise<void>
  /** @param words a last comment, for a person who reads along */
  end(words?: string): void
}

export const STREAM_TYPE = 'text/event-stream'

export function createOpenStream(
  response: Response,
  {
    heartbeatMs,
    retryMs,
    account,
  }: { readonly heartbeatMs: number; readonly retryMs: number; readonly account: AnswerAccount },
): OpenStream {
  const { socket } = response.req
  const isHead = response.req.method === 'HEAD'
  const parts = createPartWriter(response, account)
  /** `leave` sets it once: the stream has ended, or its caller has gone. */
  let isOver = false
  /** `changed` sets it, `next` ends it. */
  let isWoken = false
  /** `change` sets what ends its wait. */
  let onChange: () => void = () => undefined

  function changed(): void {
    isWoken = true
    onChange()
  }

  function leave(): void {
    isOver = true
    onChange()
  }

  /** @returns whether the time was over before anything changed */
  async function change(atMostMs?: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = atMostMs === undefined ? undefined : setTimeout(resolve, atMostMs, true)
    onChange = () => resolve(false)
    return promise.finally(() => clearTimeout(timer))
  }

  function begin(): void {
    if (response.headersSent || isOver) return
    response.status(200).setHeader('content-type', STREAM_TYPE)
    // Tells nginx not to hold messages back.
    response.setHeader('x-accel-buffering', 'no')
    // A connection that stays open after its stream would delay the end of the gateway.
    response.shouldKeepAlive = false
    if (isHead) response.flushHeaders()
    else write(messageText({ retryMs }))
  }

  function write(text: string): void {
    if (!isOver) parts.write(text)
  }

  function end(words?: string): void {
    if (isOver) return
    begin()
    // The caller has not read what was sent before: an orderly end would wait for it.
    if (parts.isFull()) response.destroy()
    else if (words === undefined || isHead) response.end()
    else response.end(commentText(words))
    leave()
  }

  const hangUp = () => end()
  response.once('close', () => {
    leave()
    socket.off('end', hangUp)
  })
  // A half-closed connection may be one whose caller has gone (TCP cannot tell).
  socket.once('end', hangUp)
  return {
    isHead,
    isOpen: () => !isOver,
    isBegun: () => response.headersSent,
    begin,
    send(message) {
      begin()
      write(messageText(message))
    },
    isFull: () => parts.isFull() && !isOver,
    async room() {
      if (!isOver) await parts.room()
    },
    wake: changed,
    async next(atMostMs) {
      const isDue = isWoken || isOver ? false : await change(atMostMs ?? heartbeatMs)
      isWoken = false
      if (isDue && atMostMs === undefined && response.headersSent) write(commentText('waiting for events'))
    },
    end,
  }
}
