import { PortariaError } from '../../platform/errors.ts'

/** What the owner of a store learns of its writer. */
export interface WriterTrouble {
  /** `broken`: the disk or the server has failed, and the store is being reopened; otherwise: it works again. */
  readonly onTrouble?: (trouble: { broken: boolean; message: string }) => void
  /** The store refuses all calls from now on and saves its data as far as possible; `onLost` follows. */
  readonly onLosing?: () => void
  /** The store is unusable: the process must end, so that its supervisor restarts it. */
  readonly onLost?: (error: Error) => void
}

const REOPEN_WAIT_MS = 1000

/**
 * - `ready`: calls are accepted.
 * - `broken`: the disk or the server has failed, and all calls with it. The writer opens the database again.
 * - `lost`: the attempts to open it have failed, the writer has ended, or another program has changed the files. No way back.
 * - `closing`: no call is accepted any more.
 */
type State = 'ready' | 'broken' | 'closing' | 'lost'

export interface StatedWriter {
  /** What is wrong while the state is `broken`. */
  readonly failedWords: string
  /** After so many attempts to open it again the store is lost. */
  readonly reopenAttempts: number
  /** Refuses every call that waits. */
  failAll(error: PortariaError): void
  /** Tells the writer to open the database again. */
  askToReopen(): void
}

export function createWriterState(
  { failedWords, reopenAttempts: allowedAttempts, failAll, askToReopen }: StatedWriter,
  { onTrouble, onLosing, onLost }: WriterTrouble,
) {
  /** Each function below that changes it says to what. */
  let state: State = 'ready'
  /** Since it failed: `reopen` counts, `opened` begins again. */
  let reopenAttempts = 0
  /** `close` waits for it: the writer has compared its files a last time, or has lost them. */
  let onEnded: (() => void) | undefined
  /** True for ever after `reportLoss`. */
  let isLossReported = false

  function reopen(): void {
    reopenAttempts++
    setTimeout(() => state === 'broken' && askToReopen(), reopenAttempts === 1 ? 0 : REOPEN_WAIT_MS)
  }

  /** To `lost`. */
  function failForGood(error: PortariaError): void {
    failAll(error)
    if (state === 'lost' || state === 'closing') return
    state = 'lost'
    onLosing?.()
  }

  function reportLoss(error: PortariaError): void {
    if (isLossReported) return
    isLossReported = true
    onLost?.(error)
    onEnded?.()
  }

  /** To `lost`, unless it is closing. */
  function lose(error: PortariaError): void {
    if (state === 'closing') return
    failForGood(error)
    reportLoss(error)
  }

  return {
    is: (one: State) => state === one,
    isLost: () => isLossReported,
    failForGood,
    reportLoss,
    lose,
    ended: () => onEnded?.(),
    /** Why a call is refused. */
    unavailable(): PortariaError {
      if (state === 'closing') return new PortariaError('store_unavailable', 'the store is closing')
      if (state === 'lost')
        return new PortariaError('store_unavailable', 'the database was lost; the gateway is ending')
      return new PortariaError('store_unavailable', `${failedWords}; the store is being opened again`)
    },
    /** From `ready` to `broken`. */
    broke(message: string): void {
      if (state !== 'ready') return
      state = 'broken'
      failAll(new PortariaError('store_unavailable', message))
      onTrouble?.({ broken: true, message })
      reopen()
    },
    /** From `broken` to `ready`. */
    opened(): void {
      state = 'ready'
      reopenAttempts = 0
      onTrouble?.({ broken: false, message: 'the database is open again' })
    },
    notOpened(error: PortariaError): void {
      if (reopenAttempts >= allowedAttempts) lose(error)
      else reopen()
    },
    /** To `closing`. Resolves when the writer has ended its work. */
    async close(): Promise<void> {
      state = 'closing'
      if (!isLossReported) await new Promise<void>((resolve) => (onEnded = resolve))
    },
  }
}
