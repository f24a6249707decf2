/** What is looked at, in the order in which it is shown. */
export const AREAS = [
  'configuration',
  'runtime',
  'files',
  'certificates',
  'trust',
  'storage',
  'clock',
  'listeners',
  'destinations',
  'outside',
] as const
export type Area = (typeof AREAS)[number]

export type Level = 'good' | 'warning' | 'problem'

export interface Finding {
  readonly area: Area
  /** What was looked at. */
  readonly what: string
  readonly level: Level
  readonly found: string
  /** What to do; null: nothing. */
  readonly nextStep: string | null
}

export interface CheckReport {
  good(what: string, found: string): Finding
  warning(what: string, found: string, nextStep: string): Finding
  problem(what: string, found: string, nextStep: string): Finding
}

export function reportOn(area: Area): CheckReport {
  return {
    good: (what, found) => ({ area, what, level: 'good', found, nextStep: null }),
    warning: (what, found, nextStep) => ({ area, what, level: 'warning', found, nextStep }),
    problem: (what, found, nextStep) => ({ area, what, level: 'problem', found, nextStep }),
  }
}
