/** Bounds the bytes of all request bodies that are being read at the same time. */
export interface BodyBudget {
  /** For one body. @param onEvicted another body needs its room: it must be given up now, and counts no more */
  open(onEvicted: () => void): BodyAccount
  /** Bytes of all bodies that are being read. */
  bytes(): number
}

export interface BodyAccount {
  /** Counts more bytes; false: there is no room, and the body must be given up. */
  add(bytes: number): boolean
  /** The body is read, or given up: its bytes count no more. */
  close(): void
}

export interface BodyBudgetOptions {
  readonly limitBytes: number
  /** What else counts against the limit now. */
  readonly otherBytes?: () => number
  /** In ms, from any point in time. */
  readonly now?: () => number
}

interface Body {
  bytes: number
  startedAt: number
  readonly onEvicted: () => void
}

/** So long a body is read undisturbed; then it is given up where another needs its room. */
const UNDISTURBED_MS = 1000

/**
 * No body waits for room, so half-read bodies never block each other. Where there is none, the body that has been read for longest is given up; if
 * that one began less than a second ago, the one that needs room is. So callers that stall keep no room from others.
 */
export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { limitBytes, otherBytes = () => 0, now = () => performance.now() } = options
  /** In the order in which their first bytes came. */
  const open = new Set<Body>()
  let total = 0

  function close(body: Body): void {
    open.delete(body)
    total -= body.bytes
    body.bytes = 0
  }

  function makeRoom(bytes: number, asking: Body): boolean {
    const room = limitBytes - otherBytes() - bytes
    if (room < 0) return false
    while (total > room) {
      const [oldest] = open
      if (oldest === undefined || oldest === asking || now() - oldest.startedAt < UNDISTURBED_MS) return false
      close(oldest)
      oldest.onEvicted()
    }
    return true
  }

  return {
    open(onEvicted) {
      const body: Body = { bytes: 0, startedAt: 0, onEvicted }
      return {
        add(bytes) {
          if (!makeRoom(bytes, body)) return false
          if (body.bytes === 0) {
            body.startedAt = now()
            open.add(body)
          }
          body.bytes += bytes
          total += bytes
          return true
        },
        close: () => close(body),
      }
    },
    bytes: () => total,
  }
}
