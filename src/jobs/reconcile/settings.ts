import type { Realm } from '../../domain/realm.ts'

/** How an environment is reconciled with the service. */
export interface ReconcileSettings {
  /** The kind whose events are about what the service can be asked for; null: it is not asked. */
  readonly payments: string | null
  readonly openings: string | null
  readonly charges: string | null
  /** The kind of received instant payments, which the account's statement counts; null: none. */
  readonly statement: string | null
  readonly everyMs: number
  /** Whether the credentials of openings may be asked for, which tells whether the account is open. */
  readonly readCredentials: boolean
  /** How long an expected subject may be silent; null: as long as its kind usually is. */
  readonly silentAfterMs: number | null
  readonly giveUpAfterMs: number
  /** Most questions of a UTC day; null: unlimited. */
  readonly budgets: Readonly<Record<'notifications' | 'payment' | 'registration' | 'charges', number | null>>
}

/** null: the environment is not reconciled. Read again for every decision, so that a reload takes effect at once. */
export type SettingsOf = (environment: Realm) => ReconcileSettings | null
