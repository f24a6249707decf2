/** Limits the bytes of all answers that wait for their readers. */
export interface AnswerBudget {
  /** Whether this reader may have so many more bytes wait now. Stalled connections are cut to make room. */
  hasRoom(reader: string, bytes: number): boolean
  /** Opens the account of a connection. @param cut closes the connection; its bytes no longer count */
  open(reader: string, cut: () => void): AnswerAccount
  /** Bytes that wait on all connections. */
  bytes(): number
}

export interface AnswerAccount {
  /** More bytes wait. Without room for them, this connection is cut. */
  add(bytes: number): void
  /** The reader took some of the bytes. */
  taken(bytes: number): void
  /** The connection is closed. */
  close(): void
  /** Closes the connection, whose reader has taken nothing for too long. */
  cut(): void
}

export interface AnswerBudgetOptions {
  readonly limitBytes: number
  /** A clock in ms with any origin. */
  readonly now?: () => number
  /** A connection was cut. @param bytes what it left unread */
  readonly onCut?: (reader: string, bytes: number) => void
}

/** Of one reader, so that it leaves room for others. */
const SHARE = 0.5
/** A connection that takes something this often is not stalled. */
const STALLED_MS = 2000

/**
 * No answer waits for room: without it, the connection that has taken nothing for the longest time is cut, if that is 2 s. So readers that stall take no
 * room from others. A reader has at most half of the room. One answer of any size may wait where nothing else does.
 */
export function createAnswerBudget(options: AnswerBudgetOptions): AnswerBudget {
  const { limitBytes, now = () => performance.now(), onCut = () => undefined } = options
  const shareBytes = limitBytes * SHARE
  /** With bytes that wait; the one that took something longest ago first. */
  const open = new Set<Connection>()
  const bytesOf = new Map<string, number>()
  /** Bytes of all accounts together: `count` alone changes it. */
  let total = 0

  function count(reader: string, bytes: number): void {
    total += bytes
    const left = (bytesOf.get(reader) ?? 0) + bytes
    if (left === 0) bytesOf.delete(reader)
    else bytesOf.set(reader, left)
  }

  class Connection implements AnswerAccount {
    readonly reader: string
    movedAt = 0
    #bytes = 0
    readonly #cut: () => void

    constructor(reader: string, cut: () => void) {
      this.reader = reader
      this.#cut = cut
    }

    add(bytes: number): void {
      const isFree = hasRoom(this.reader, bytes)
      this.#change(bytes)
      if (!isFree) this.cut()
      else if (this.#bytes === bytes) this.#moved()
    }

    taken(bytes: number): void {
      this.#change(-Math.min(bytes, this.#bytes))
      if (this.#bytes > 0) this.#moved()
    }

    close(): void {
      this.#change(-this.#bytes)
    }

    cut(): void {
      onCut(this.reader, this.#bytes)
      this.close()
      this.#cut()
    }

    #change(bytes: number): void {
      this.#bytes += bytes
      count(this.reader, bytes)
      if (this.#bytes === 0) open.delete(this)
    }

    #moved(): void {
      this.movedAt = now()
      open.delete(this)
      open.add(this)
    }
  }

  function hasRoom(reader: string, bytes: number): boolean {
    const isOwn = (one: Connection) => one.reader === reader
    const ofReader = () => bytesOf.get(reader) ?? 0
    while (ofReader() > 0 && ofReader() + bytes > shareBytes) if (!cutStalled(isOwn)) return false
    while (total > 0 && total + bytes > limitBytes) if (!cutStalled(() => true)) return false
    return true
  }

  function cutStalled(isMeant: (connection: Connection) => boolean): boolean {
    for (const connection of open) {
      if (now() - connection.movedAt < STALLED_MS) return false
      if (!isMeant(connection)) continue
      connection.cut()
      return true
    }
    return false
  }

  return { hasRoom, open: (reader, cut) => new Connection(reader, cut), bytes: () => total }
}
