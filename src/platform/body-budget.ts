/** Limits the bytes of all request bodies that are being received. */
export interface BodyBudget {
  /** Opens the account of one body. @param onEvicted another body needs the room: drop this one now; it no longer counts */
  open(onEvicted: () => void): BodyAccount
  /** Bytes of all bodies that are being received. */
  bytes(): number
}

export interface BodyAccount {
  /** Counts more bytes. False: there is no room, and the body must be dropped. */
  add(bytes: number): boolean
  /** The body is complete or dropped: its bytes no longer count. */
  close(): void
}

export interface BodyBudgetOptions {
  readonly limitBytes: number
  /** Other bytes that count against the limit now. */
  readonly otherBytes?: () => number
  /** A clock in ms with any origin. */
  readonly now?: () => number
}

/** A body is safe for this time. After it, the body is dropped where another one needs the room. */
const UNDISTURBED_MS = 1000

/**
 * No body waits for room, so incomplete bodies never block each other. Without room, the oldest body is dropped; if it began less than a second ago,
 * the body that needs room is dropped. So callers that stall take no room from others.
 */
export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { limitBytes, otherBytes = () => 0, now = () => performance.now() } = options
  /** In the order of their first bytes. */
  const open = new Set<Body>()
  let total = 0

  /** A class, because one is made for each callback. */
  class Body implements BodyAccount {
    #bytes = 0
    #startedAt = 0
    readonly #onEvicted: () => void

    constructor(onEvicted: () => void) {
      this.#onEvicted = onEvicted
    }

    add(bytes: number): boolean {
      if (!this.#makeRoom(bytes)) return false
      if (this.#bytes === 0) {
        this.#startedAt = now()
        open.add(this)
      }
      this.#bytes += bytes
      total += bytes
      return true
    }

    close(): void {
      open.delete(this)
      total -= this.#bytes
      this.#bytes = 0
    }

    #makeRoom(bytes: number): boolean {
      const room = limitBytes - otherBytes() - bytes
      if (room < 0) return false
      while (total > room) {
        const [oldest] = open
        if (oldest === undefined || oldest === this || now() - oldest.#startedAt < UNDISTURBED_MS) return false
        oldest.close()
        oldest.#onEvicted()
      }
      return true
    }
  }

  return { open: (onEvicted) => new Body(onEvicted), bytes: () => total }
}
