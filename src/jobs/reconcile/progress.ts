import type { EnvironmentProgress } from '../../domain/reconcile/reconciler.ts'

/** The counts of a run, while it goes on. */
export type RunningProgress = { -readonly [K in keyof EnvironmentProgress]: EnvironmentProgress[K] }

export function startProgress(environment: EnvironmentProgress['environment']): RunningProgress {
  return {
    environment,
    subjects: 0,
    asked: 0,
    planned: 0,
    found: 0,
    unknown: 0,
    undecided: 0,
    unnamed: 0,
    failed: 0,
    problem: null,
    left: 0,
  }
}
