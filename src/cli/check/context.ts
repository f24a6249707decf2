import type { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.ts'

/** What every group of findings is given. */
export interface CheckContext {
  readonly config: Config
  readonly now: Date
  /** A certificate that ends sooner than this is a finding. */
  readonly days: number
  /** Authorities that callers trust; null: the public ones. */
  readonly authorities: readonly X509Certificate[] | null
  /** Tells a person who waits what is being done. */
  readonly progress: (text: string) => void
}

/** A clock of somebody else, as an answer of theirs showed it. */
export interface ForeignClock {
  readonly whose: string
  /** How far this machine's clock is ahead of it, in ms. */
  readonly aheadMs: number
}

/** HTTP's dates have no fractions of a second. null for what is no date. */
export function clockOf(whose: string, date: string | undefined, now: number): ForeignClock | null {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? null : { whose, aheadMs: now - time }
}
