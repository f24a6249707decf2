import type { Realm } from '../../domain/realm.ts'
import type { NotificationTokenWrites } from '../../domain/service/notification-token.ts'
import type { QuestionPurpose } from '../../domain/service/question-purpose.ts'
import { iso } from '../../platform/time.ts'
import { createServiceCircuit, type ServiceCircuit } from './service-circuit.ts'
import type { ReconcileSettings } from './settings.ts'

/** Of the notifications' budget, the share that reconciliation may use: the rest is for the tokens of callbacks. */
const NOTIFICATION_SHARE = 0.9
/** Questions that are taken from the store at once: a crash loses at most these. */
const BLOCK = 20

/** Whether questions of one environment may begin: its circuit holds them back, and its daily budgets limit them. */
export interface QuestionPermits {
  readonly circuit: ServiceCircuit
  /** Takes one question of the day's budget. False: it is used up. */
  take(purpose: QuestionPurpose, settings: ReconcileSettings): Promise<boolean>
}

export function createQuestionPermits(
  environment: Realm,
  store: Pick<NotificationTokenWrites, 'takeBudget'>,
  now: () => number,
): QuestionPermits {
  /** What is left of the last block of each purpose. Only `take` changes it. */
  const blocks = new Map<
    QuestionPurpose,
    { readonly day: string; readonly limit: number; readonly isLast: boolean; left: number }
  >()

  return {
    circuit: createServiceCircuit(() => performance.now()),
    async take(purpose, { budgets }) {
      const limit = limitOf(purpose, budgets[purpose])
      if (limit === null) return true
      const day = iso(now()).slice(0, 10)
      const known = blocks.get(purpose)
      let block = known?.day === day && known.limit === limit ? known : null
      if (block === null || (block.left === 0 && !block.isLast)) {
        const wanted = Math.max(1, Math.min(BLOCK, Math.floor(limit / 100)))
        const left = await store.takeBudget({ environment, purpose, day, wanted, limit })
        // One that the store does not fill is the last one of the day.
        block = { day, limit, left, isLast: left < wanted }
        blocks.set(purpose, block)
      }
      if (block.left === 0) return false
      block.left--
      return true
    },
  }
}

function limitOf(purpose: QuestionPurpose, limit: number | null): number | null {
  return purpose === 'notifications' && limit !== null ? Math.floor(limit * NOTIFICATION_SHARE) : limit
}
