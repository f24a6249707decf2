import type { Environment } from '../../domain/event.ts'
import type { NotificationTokenWrites } from '../../domain/service/notification-token.ts'

/** A crash loses at most one block. */
const LARGEST_BLOCK = 100
/** The share of the day's budget that repeated queries may use. The rest is for tokens that were not asked for yet. */
const SHARE_OF_REPEATS = 0.8

export interface QueryBudget {
  /** Takes one query of this UTC day. @param limit of the day; null: unlimited @returns false: the budget is used up */
  take(limit: number | null): Promise<boolean>
  /** Known without asking the store: the day's budget was used up, and neither the day nor the limit has changed since. */
  isUsedUp(limit: number | null): boolean
}

/** Takes queries from the store in blocks, before they are made. Not for use at the same time by several. */
export function createQueryBudget(
  environment: Environment,
  {
    store,
    now,
    isForRepeats,
  }: { store: Pick<NotificationTokenWrites, 'takeBudget'>; now: () => number; isForRepeats: boolean },
): QueryBudget {
  let day = ''
  let left = 0
  let usedUpLimit: number | null = null

  function startDay(): void {
    const today = new Date(now()).toISOString().slice(0, 10)
    if (today === day) return
    day = today
    left = 0
    usedUpLimit = null
  }

  return {
    async take(dayLimit) {
      if (dayLimit === null) return true
      startDay()
      const limit = isForRepeats ? Math.ceil(dayLimit * SHARE_OF_REPEATS) : dayLimit
      if (left === 0 && usedUpLimit !== dayLimit) {
        const wanted = Math.max(1, Math.min(LARGEST_BLOCK, Math.floor(limit / 100)))
        left = await store.takeBudget({ environment, day, wanted, limit })
      }
      if (left === 0) {
        usedUpLimit = dayLimit
        return false
      }
      left--
      return true
    },
    isUsedUp(dayLimit) {
      startDay()
      return dayLimit !== null && left === 0 && usedUpLimit === dayLimit
    },
  }
}
