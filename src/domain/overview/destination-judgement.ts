/** How long a destination may take nothing while something waits for it, before that is a problem. As in docs/monitoring/alerts.yml. */
export const TAKES_NOTHING_S = 900

export interface FailingDestination {
  readonly isPaused: boolean
  readonly circuitOpenedAt: number | null
  /** When the oldest pending delivery was created or last replayed; null: nothing waits. */
  readonly oldestSince: number | null
}

/** How bad it is that a destination takes nothing now: the overview and `check` judge alike. What an operator has paused waits on purpose. */
export function severityOfFailing(
  { isPaused, circuitOpenedAt, oldestSince }: FailingDestination,
  now: number,
): 'warning' | 'problem' {
  if (isPaused || oldestSince === null) return 'warning'
  const takesNothingSince = circuitOpenedAt ?? oldestSince
  return now - takesNothingSince > TAKES_NOTHING_S * 1000 ? 'problem' : 'warning'
}
