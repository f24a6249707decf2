import type { Realm } from '../../domain/realm.ts'
import type {
  NotificationTokenReads,
  WaitingToken,
  WaitingTokenQuery,
} from '../../domain/service/notification-token.ts'
import type { QueryKind } from './query-permits.ts'

/** The jobs of one environment in the store, and which of them are under way. */
export interface WaitingJobs {
  /** Jobs without a query under way, also without those whose query ended during the read, which may show them as they were before. */
  list(query: Omit<WaitingTokenQuery, 'environment'>, limit: number): Promise<WaitingToken[]>
  /** The job is under way until this promise ends, which must not be rejected. */
  begun(token: WaitingToken, query: Promise<unknown>): void
  countUnderWay(kind: QueryKind): number
  /** Resolves when fewer jobs are under way than there are slots. */
  freeSlot(slots: () => number): Promise<void>
  /** Resolves when none is under way any more. */
  ended(): Promise<void>
}

interface WaitingJobsOptions {
  readonly store: Pick<NotificationTokenReads, 'listWaitingTokens'>
  /** A job is not under way any more. */
  readonly onEnded: () => void
}

export function createWaitingJobs(environment: Realm, { store, onEnded }: WaitingJobsOptions): WaitingJobs {
  /** By the number of the job. */
  const underWay = new Map<number, { readonly kind: QueryKind; readonly query: Promise<void> }>()
  const queries = () => [...underWay.values()].map(({ query }) => query)

  return {
    async list(query, limit) {
      const begun = new Set(underWay.keys())
      const found = await store.listWaitingTokens({ environment, ...query }, limit + begun.size)
      return found.filter(({ id }) => !begun.has(id))
    },
    begun(token, query) {
      const ended = query.then(() => {
        underWay.delete(token.id)
        onEnded()
      })
      underWay.set(token.id, { kind: kindOf(token), query: ended })
    },
    countUnderWay: (kind) => [...underWay.values()].filter((one) => one.kind === kind).length,
    async freeSlot(slots) {
      while (underWay.size >= slots()) await Promise.race(queries())
    },
    async ended() {
      await Promise.all(queries())
    },
  }
}

function kindOf({ attempts }: WaitingToken): QueryKind {
  return attempts === 0 ? 'fresh' : 'repeats'
}
