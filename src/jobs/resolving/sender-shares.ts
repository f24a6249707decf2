import { FRESH_SHARE } from './query-budget.ts'

/** The share of the queries of fresh tokens that one sender may take at the begin of a day. The rest becomes free for it evenly during the day. */
const SENDER_SHARE = 0.8
const DAY_MS = 86_400_000

/** Limits what the fresh tokens of one sender take of a UTC day's budget, so that a flood of unknown tokens leaves something for other senders. */
export interface SenderShares {
  /** @param dayLimit queries of the day; null: unlimited */
  isUsedUp(sender: string | null, dayLimit: number | null): boolean
  took(sender: string | null): void
  /** Whether a share was found used up on this day. */
  isAnyUsedUp(): boolean
}

/** A restart forgets what senders took. */
export function createSenderShares(now: () => number): SenderShares {
  let day = 0
  let isAnyUsedUp = false
  const taken = new Map<string | null, number>()

  function startDay(): void {
    const today = Math.floor(now() / DAY_MS)
    if (today === day) return
    day = today
    isAnyUsedUp = false
    taken.clear()
  }
  function hasReachedShare(sender: string | null, dayLimit: number): boolean {
    const elapsed = now() / DAY_MS - day
    const all = dayLimit * FRESH_SHARE
    const share = Math.ceil(all * (SENDER_SHARE + (1 - SENDER_SHARE) * elapsed))
    // Of a small budget a share may be all: then the budget itself is the limit.
    return share < Math.ceil(all) && (taken.get(sender) ?? 0) >= share
  }

  return {
    isUsedUp(sender, dayLimit) {
      startDay()
      if (dayLimit === null || !hasReachedShare(sender, dayLimit)) return false
      isAnyUsedUp = true
      return true
    },
    took(sender) {
      startDay()
      taken.set(sender, (taken.get(sender) ?? 0) + 1)
    },
    isAnyUsedUp() {
      startDay()
      return isAnyUsedUp
    },
  }
}
