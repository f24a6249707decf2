import type { Fact } from '../../domain/event.ts'
import type { Realm } from '../../domain/realm.ts'

/** The events that the service was asked for: a late callback of the same fact is a repeat of its event. Inside the transaction. */
export interface ReconciledFacts {
  /** Position of the event; null: there is none. */
  find(environment: Realm, fact: FactValues): number | null
  /** There is none yet. */
  add(environment: Realm, fact: FactValues, position: number): void
}

export type FactValues = Pick<Fact, 'kind' | 'subject' | 'status'>
