import { setTimeout as sleep } from 'node:timers/promises'
import type { Realm } from '../../domain/realm.ts'
import type { NotificationTokenWrites } from '../../domain/service/notification-token.ts'
import { QUESTION_PURPOSES, type QuestionPurpose } from '../../domain/service/question-purpose.ts'
import { createQueryBudget, type QueryBudget } from '../resolving/query-budget.ts'
import { createServiceCircuit, type ServiceCircuit } from './service-circuit.ts'
import type { ReconcileSettings } from './settings.ts'

/** Of the notifications' budget, the share that reconciliation may use: the rest is for the tokens of callbacks. */
const NOTIFICATION_SHARE = 0.9
/** The least time from one question to the next: more would slow the answers to callbacks. */
const SPACING_MS = 20

/** Whether questions of one environment may begin: its circuit holds them back, and its daily budgets limit them. */
export interface QuestionPermits {
  readonly circuit: ServiceCircuit
  /** Takes one question of the day's budget. False: it is used up. */
  take(purpose: QuestionPurpose, settings: ReconcileSettings): Promise<boolean>
  /** Waits until the next question may begin. */
  pace(signal: AbortSignal): Promise<void>
}

export function createQuestionPermits(
  environment: Realm,
  store: Pick<NotificationTokenWrites, 'takeBudget'>,
  now: () => number,
): QuestionPermits {
  const budgetFor = (purpose: QuestionPurpose) => createQueryBudget(environment, { store, now, purpose, share: 1 })
  const budgets = Object.fromEntries(QUESTION_PURPOSES.map((purpose) => [purpose, budgetFor(purpose)])) as Record<
    QuestionPurpose,
    QueryBudget
  >
  let nextAt = 0 // monotonic ms: when the next question may begin; each question moves it
  return {
    async pace(signal) {
      const at = Math.max(nextAt, performance.now())
      nextAt = at + SPACING_MS
      const waitMs = at - performance.now()
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    },
    circuit: createServiceCircuit(() => performance.now()),
    take(purpose, settings) {
      const limit = settings.budgets[purpose]
      const isShared = purpose === 'notifications' && limit !== null
      return budgets[purpose].take(isShared ? Math.floor(limit * NOTIFICATION_SHARE) : limit)
    },
  }
}
