/** The areas of findings, in the order of the output. */
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
  /** The subject of the finding within its area. */
  readonly what: string
  readonly level: Level
  readonly found: string
  /** The next step; null: none. */
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
