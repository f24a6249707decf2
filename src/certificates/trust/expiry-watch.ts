import { X509Certificate } from 'node:crypto'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'

export interface ExpiryWatchOptions {
  /** The authorities in use, PEM. */
  readonly authorities: () => readonly string[]
  readonly onExpired: () => void
  readonly log: Log
}

const LOOK_MS = 5000

/** Calls `onExpired` soon after an authority has expired: which paths TLS may follow depends on the time. @returns how to stop */
export function watchExpiry({ authorities, onExpired, log }: ExpiryWatchOptions): () => void {
  let lookedAt = Date.now()
  const look = guarded(log, 'watching the expiry of authorities', () => {
    const [from, now] = [lookedAt, Date.now()]
    lookedAt = now
    const ends = authorities().map((pem) => new X509Certificate(pem).validToDate.getTime())
    if (ends.some((end) => from < end && end <= now)) onExpired()
  })
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
