import type { Realm } from '../realm.ts'

export interface ReconcileRequest {
  /** Only subjects and days known since then, in ms since 1970; null: all. */
  readonly since: number | null
  /** Only these; empty: all that are reconciled. */
  readonly environments: readonly Realm[]
  /** Asks, and spends budget, but stores nothing. */
  readonly isDryRun: boolean
}

/** A run that goes on, or the last one. Times are ms since 1970. */
export interface ReconcileProgress {
  readonly id: string
  readonly isDryRun: boolean
  readonly since: number | null
  /** `failed`: it could not go on; questions that failed do not end it. */
  readonly state: 'running' | 'done' | 'failed'
  readonly beganAt: number
  readonly endedAt: number | null
  readonly environments: readonly EnvironmentProgress[]
}

export interface EnvironmentProgress {
  readonly environment: Realm
  /** Subjects that were looked at. */
  readonly subjects: number
  readonly asked: number
  /** Questions altogether, as far as they are known. */
  readonly planned: number
  /** Missed states that were stored as events; of a dry run those that would be. */
  readonly found: number
  /** Subjects that the service does not know. */
  readonly unknown: number
  /** Openings that wait or were refused. */
  readonly undecided: number
  /** What the service counts and does not name. */
  readonly unnamed: number
  /** Questions that failed. */
  readonly failed: number
  /** Why the last of them failed; null: none did. */
  readonly problem: string | null
  /** Questions that were not asked, because a budget is used up or the service is away. */
  readonly left: number
}

/** Asks the service for what was missed. One run at a time. */
export interface Reconciler {
  /** Starts a run, or joins the one that goes on, whatever was requested for it. */
  start(request: ReconcileRequest): ReconcileProgress
  /** null: there was none since the start of the gateway. */
  current(): ReconcileProgress | null
}
