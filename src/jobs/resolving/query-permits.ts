import type { Realm } from '../../domain/realm.ts'
import type { NotificationTokenWrites, WaitingToken } from '../../domain/service/notification-token.ts'
import { messageOf } from '../../platform/errors.ts'
import { createHold } from './hold.ts'
import { createQueryBudget } from './query-budget.ts'
import type { ResolvingLog } from './resolving-log.ts'
import { createSenderShares } from './sender-shares.ts'
import type { TokenFailure } from './token-query.ts'

/** The settings of an environment at this time. */
export interface ResolvingSettings {
  /** null: no client of the service is configured, so no query succeeds. */
  readonly client: {
    /** Queries of a UTC day; null: unlimited. */
    readonly dailyBudget: number | null
  } | null
  readonly resolveWithinMs: number
}

export interface PermitsOptions {
  readonly store: Pick<NotificationTokenWrites, 'takeBudget'>
  readonly settings: () => ResolvingSettings
  readonly now: () => number
  readonly random: () => number
  readonly log: ResolvingLog
}

/** `fresh`: of a token that was not asked for yet. `repeats`: of one that was. Each kind has a daily budget. */
export type QueryKind = 'fresh' | 'repeats'

/** Whether queries of one environment may begin: its failures hold them back, and its daily budgets limit them. */
export interface QueryPermits {
  /** How long no query may begin after failures, in ms; 0: one may. */
  heldMs(): number
  /** How many queries may be under way. */
  slots(): number
  isUsedUp(kind: QueryKind): boolean
  /** Fresh tokens of this sender wait, also while the budget is not used up. */
  isSenderUsedUp(sender: WaitingToken['sender']): boolean
  /** Tokens are due that the budgets hold back. */
  isAnyUsedUp(): boolean
  /** Takes one query of the budget. @returns false: none may begin */
  take(kind: QueryKind, sender: WaitingToken['sender']): Promise<boolean>
  /** For `failed`: the hold in which a query begins. */
  current(): number
  /** The service answers no query now. */
  failed(begunIn: number, failure: TokenFailure): void
  /** @returns as `heldMs` */
  storeFailed(error: unknown): number
  succeeded(): void
  /** Ends a hold without a query. */
  renewed(): void
  /** Why jobs wait that were not asked for. */
  problem(): string
}

/** Queries at the same time. */
const SLOTS = 16

export function createQueryPermits(environment: Realm, options: PermitsOptions): QueryPermits {
  const { store, settings, now, random, log } = options
  const hold = createHold(SLOTS, { now, random })
  const purpose = 'notifications'
  const fresh = createQueryBudget(environment, { store, now, purpose })
  const budgets = { fresh, repeats: createQueryBudget(environment, { store, now, purpose, fresh }) }
  const shares = createSenderShares(now)
  /** The latest failure, or the used up budget: `take`, `isSenderUsedUp`, `failed` and `storeFailed` change it. */
  let problem = 'the service was not asked in time'

  function isUsedUp(kind: QueryKind): boolean {
    const { client } = settings()
    return client !== null && budgets[kind].isUsedUp(client.dailyBudget)
  }

  return {
    heldMs: hold.remainingMs,
    slots: hold.slots,
    current: hold.current,
    problem: () => problem,
    isUsedUp,
    isSenderUsedUp(sender) {
      const { client } = settings()
      if (client === null || !shares.isUsedUp(sender, client.dailyBudget)) return false
      problem = 'the share of its sender in the daily budget of queries is used up'
      log.senderUsedUp(environment, sender, client.dailyBudget)
      return true
    },
    isAnyUsedUp: () => isUsedUp('fresh') || isUsedUp('repeats') || shares.isAnyUsedUp(),
    async take(kind, sender) {
      const { client } = settings()
      if (hold.remainingMs() > 0) return false
      if (client === null || (await budgets[kind].take(client.dailyBudget))) {
        if (kind === 'fresh') shares.took(sender)
        return true
      }
      problem = 'the daily budget of queries is used up'
      log.budgetUsedUp(environment, client.dailyBudget)
      return false
    },
    failed(begunIn, { reason, retryAfterMs }) {
      problem = reason
      hold.failed(begunIn, retryAfterMs)
      log.heldBack(environment, reason, hold.remainingMs())
    },
    storeFailed(error) {
      problem = messageOf(error)
      log.delayed(environment, problem)
      hold.failed(hold.current(), null)
      return hold.remainingMs()
    },
    succeeded() {
      if (hold.succeeded()) log.resumed(environment)
    },
    renewed() {
      hold.succeeded()
    },
  }
}
