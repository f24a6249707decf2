import type { ServerResponse } from 'node:http'
import type { AnswerAccount } from '../../platform/answer-budget.ts'

/** Writes an answer in parts. What its reader has not taken yet counts on the account. */
export interface PartWriter {
  write(text: string): void
  /** The reader takes less than is written: write no more until `room`. */
  isFull(): boolean
  /** Resolves when the reader has taken what was written, or the connection is closed. For one caller at a time. */
  room(): Promise<void>
}

/** For a string Node takes three times its length until the next garbage collection. */
const LARGE_CHARACTERS = 16_384

export function createPartWriter(response: ServerResponse, account: AnswerAccount): PartWriter {
  /** From a `write` that Node could not send until `drained`. */
  let isFull = false
  /** Bytes of the account: `write` adds them, `drained` gives them back. */
  let unread = 0
  /** `room` sets what ends its wait. */
  let onRoom: () => void = () => undefined

  function drained(): void {
    if (!isFull) return
    isFull = false
    account.taken(unread)
    unread = 0
    onRoom()
  }

  response.on('drain', drained)
  response.once('close', () => onRoom())
  return {
    write(text) {
      if (response.write(text.length < LARGE_CHARACTERS ? text : Buffer.from(text))) return
      isFull = true
      const more = response.writableLength - unread
      unread += more
      account.add(more)
    },
    isFull: () => isFull,
    async room() {
      if (!isFull || response.destroyed) return
      const { promise, resolve } = Promise.withResolvers<void>()
      onRoom = resolve
      await promise
    },
  }
}
