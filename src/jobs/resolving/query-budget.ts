import type { Realm } from '../../domain/realm.ts'
import type { NotificationTokenWrites } from '../../domain/service/notification-token.ts'
import type { QuestionPurpose } from '../../domain/service/question-purpose.ts'

/** A crash loses at most one block. */
const LARGEST_BLOCK = 100
/**
 * The share of the day's budget up to which repeated queries go: the rest is for tokens that were not asked for yet. Those have the same share for
 * themselves: what a flood of unknown tokens leaves is for earlier ones.
 */
export const FRESH_SHARE = 0.8

export interface QueryBudget {
  /** Takes one query of this UTC day. @param limit of the day; null: unlimited @returns false: the budget is used up */
  take(limit: number | null): Promise<boolean>
  /** Known without asking the store: the day's budget was used up, and neither the day nor the limit has changed since. */
  isUsedUp(limit: number | null): boolean
}

interface QueryBudgetOptions {
  readonly store: Pick<NotificationTokenWrites, 'takeBudget'>
  readonly now: () => number
  readonly purpose: QuestionPurpose
  /** The share of the day's budget that they have for themselves; default `FRESH_SHARE`. */
  readonly share?: number
  /** For repeated queries: the budget of the others. */
  readonly fresh?: QueryBudget
}

/** Takes queries from the store in blocks, before they are made. Not for use at the same time by several. A restart forgets what unknown tokens took. */
export function createQueryBudget(environment: Realm, options: QueryBudgetOptions): QueryBudget {
  const { store, now, purpose, share = FRESH_SHARE, fresh } = options
  let day = ''
  let left = 0
  let taken = 0
  let usedUpLimit: number | null = null

  function startDay(): void {
    const today = new Date(now()).toISOString().slice(0, 10)
    if (today === day) return
    day = today
    left = 0
    taken = 0
    usedUpLimit = null
  }
  /** Of the day's queries of all kinds together. */
  function limitOf(dayLimit: number): number {
    return fresh === undefined || fresh.isUsedUp(dayLimit) ? dayLimit : Math.ceil(dayLimit * FRESH_SHARE)
  }
  async function takeBlock(dayLimit: number): Promise<number> {
    const limit = limitOf(dayLimit)
    const own = fresh === undefined ? Math.ceil(dayLimit * share) - taken : limit
    const wanted = Math.min(Math.max(1, Math.min(LARGEST_BLOCK, Math.floor(limit / 100))), own)
    return wanted > 0 ? store.takeBudget({ environment, purpose, day, wanted, limit }) : 0
  }

  return {
    async take(dayLimit) {
      if (dayLimit === null) return true
      startDay()
      if (left === 0 && usedUpLimit !== limitOf(dayLimit)) {
        left = await takeBlock(dayLimit)
        taken += left
      }
      if (left === 0) {
        usedUpLimit = limitOf(dayLimit)
        return false
      }
      left--
      return true
    },
    isUsedUp(dayLimit) {
      startDay()
      return dayLimit !== null && left === 0 && usedUpLimit === limitOf(dayLimit)
    },
  }
}
