import type { IncomingMessage } from 'node:http'
import type { BodyBudget } from '../platform/body-budget.ts'

/** `no room`: together with the other bodies in memory it would exceed the budget. */
export type ReadBody = { readonly body: Buffer } | 'too large' | 'no room' | 'aborted'

export interface BodyBounds {
  readonly limitBytes: number
  readonly budget: Pick<BodyBudget, 'open'>
}

/** How many bytes of a refused body are read and dropped, so that the caller sees the answer and not a reset. */
const DRAIN_FACTOR = 8

/** Reads the raw bytes up to a limit, and calls back once. Nothing is decoded. */
export function readBody(
  request: IncomingMessage,
  { limitBytes, budget }: BodyBounds,
  done: (read: ReadBody) => void,
): void {
  /** Most bodies come in one chunk: only a second one needs the rest. */
  let first: Buffer | null = null
  let pieces: Pieces | null = null
  let isDone = false
  let size = 0
  const account = budget.open(() => settle('no room'))

  function settle(read: ReadBody): void {
    if (isDone) return
    isDone = true
    first = null
    pieces = null
    account.close()
    done(read)
  }

  function keep(chunk: Buffer): void {
    if (first === null) first = chunk
    else {
      pieces ??= new Pieces(first)
      pieces.add(chunk)
    }
  }

  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limitBytes * DRAIN_FACTOR) request.socket.destroy()
    if (isDone) return
    if (size > limitBytes) settle('too large')
    else if (account.add(chunk.length)) keep(chunk)
    else settle('no room')
  })
  request.on('end', () => {
    if (!isDone) settle({ body: pieces?.join() ?? first ?? Buffer.alloc(0) })
  })
  // Also after an error, which Node emits only to a listener.
  request.on('close', () => settle('aborted'))
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) settle('too large')
}

/** A chunk costs about 300 bytes beside its content, so later chunks below this size are copied together. */
const BLOCK_BYTES = 4096

/** The parts of a body in order. Large ones are not copied until they are joined. */
class Pieces {
  readonly #pieces: Buffer[]
  #block: Buffer | null = null
  #used = 0

  constructor(first: Buffer) {
    this.#pieces = [first]
  }

  add(chunk: Buffer): void {
    if (chunk.length < BLOCK_BYTES) return this.#copy(chunk)
    this.#endBlock()
    this.#pieces.push(chunk)
  }

  join(): Buffer {
    this.#endBlock()
    return Buffer.concat(this.#pieces)
  }

  #copy(chunk: Buffer): void {
    if (this.#used + chunk.length > BLOCK_BYTES) this.#endBlock()
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES)
    this.#used += chunk.copy(this.#block, this.#used)
  }

  #endBlock(): void {
    if (this.#block === null) return
    this.#pieces.push(this.#block.subarray(0, this.#used))
    this.#block = null
    this.#used = 0
  }
}
