import type { Environment } from '../../src/interfaces.ts'
import type { Posted } from '../notifications/plain-receiver.ts'
import type { Answer, RunningSimulator } from '../running.ts'
import type { subscriptionClient } from '../subscriptions/subscription-client.ts'
import type { Model } from './model.ts'

/** The simulator behind its APIs. */
export interface Real {
  readonly running: RunningSimulator
  readonly client: ReturnType<typeof subscriptionClient>
  readonly environment: Environment
  /** Number of the account. */
  readonly account: string
  /** Where notifications go: an address of the receiver. */
  urlOf(path: string): string
  ledger(): Promise<Answer>
  /** Resolves when every expected callback has arrived. */
  settled(model: Model): Promise<void>
  /** What the receivers got in this sequence. */
  readonly arrived: { notifications(): readonly Posted[]; payments(): readonly { readonly body: string }[] }
}

export interface Step {
  readonly model: Model
  readonly real: Real
}
