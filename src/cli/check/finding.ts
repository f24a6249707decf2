import type { AcceptedFinding, FindingCode } from '../../config/finding-codes.ts'
import { permissionAdvice } from '../../platform/permission.ts'

/** The areas of findings, in the order of the output. */
export const AREAS = [
  'configuration',
  'runtime',
  'files',
  'certificates',
  'trust',
  'storage',
  'nodes',
  'clock',
  'listeners',
  'destinations',
  'service',
  'alarms',
  'outside',
] as const
export type Area = (typeof AREAS)[number]

export type Level = 'good' | 'warning' | 'problem'

export interface Finding {
  readonly area: Area
  /** Stable. A good finding has the code of its area, unless it is a note. */
  readonly code: FindingCode | `${Area}.good`
  /** The subject of the finding within its area. */
  readonly what: string
  readonly level: Level
  readonly found: string
  /** The next step; null: none. */
  readonly nextStep: string | null
  /** Why the configuration accepts it; null: it does not. */
  readonly accepted: string | null
}

export function reportOn(area: Area) {
  const at = (level: Level) => (code: FindingCode, what: string, found: string, nextStep: string) =>
    ({ area, code, what, level, found, nextStep, accepted: null }) satisfies Finding
  const problem = at('problem')
  return {
    good: (what: string, found: string): Finding => {
      return { area, code: `${area}.good`, what, level: 'good', found, nextStep: null, accepted: null }
    },
    /** Worth knowing, although nothing must be done: it counts as good. */
    note: at('good'),
    warning: at('warning'),
    problem,
    /** A problem in the words of an error, which may name the next step already: without permission it is the same command as another user. */
    failure: (code: FindingCode, what: string, found: string, nextStep: string) =>
      problem(code, what, found, found.includes(permissionAdvice()) ? FOLLOW : nextStep),
  }
}

export type CheckReport = ReturnType<typeof reportOn>

export const FOLLOW = 'follow that advice'

const STOPS_START: readonly Finding['code'][] = [
  'secrets.unusable',
  'operator_token.unusable',
  'certificate.unusable',
  'client_ca.unusable',
  'trust.unusable',
]

/** Whether a gateway that is started now may refuse to start, while the running one goes on with what it has loaded. */
export function preventsStart({ code }: Finding): boolean {
  return STOPS_START.includes(code)
}

/** The findings, those of `check.accepted` with the reason written there. */
export function markAccepted(findings: readonly Finding[], accepted: readonly AcceptedFinding[]): Finding[] {
  return findings.map((finding) => {
    const { code, what } = finding
    const entry = accepted.find((one) => one.code === code && (one.what === null || one.what === what))
    return entry === undefined ? finding : { ...finding, accepted: entry.reason }
  })
}
