import type { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { Finding } from './finding.ts'

/** The input of every group of findings. */
export interface CheckContext {
  readonly config: Config
  readonly now: Date
  /** A certificate that ends sooner than this is a finding; null: its lifetime decides. */
  readonly days: number | null
  /** CAs that callers trust; null: the public ones. */
  readonly authorities: readonly X509Certificate[] | null
  /** Shows on a terminal what is being done. */
  readonly progress: (text: string) => void
  /** Shows no progress. */
  readonly isQuiet: boolean
  /** Makes no connection to other machines. Left out: it makes some. */
  readonly isOffline?: boolean
}

/** The clock of another machine, from the date of its response. */
export interface ForeignClock {
  readonly whose: string
  /** How far this machine's clock is ahead of it, in ms. */
  readonly aheadMs: number
}

/** Findings about another machine, and its clock if it told the time. */
export interface Seen {
  readonly findings: Finding[]
  readonly clocks: ForeignClock[]
}

/** HTTP dates have no fractions of a second. Empty: not a date. */
export function clocksOf(whose: string, date: string | undefined): ForeignClock[] {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? [] : [{ whose, aheadMs: Date.now() - time }]
}
