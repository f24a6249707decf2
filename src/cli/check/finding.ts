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
  'clock',
  'listeners',
  'destinations',
  'service',
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

export interface CheckReport {
  good(what: string, found: string): Finding
  /** Worth knowing, although nothing must be done: it counts as good. */
  note(code: FindingCode, what: string, found: string, nextStep: string): Finding
  warning(code: FindingCode, what: string, found: string, nextStep: string): Finding
  problem(code: FindingCode, what: string, found: string, nextStep: string): Finding
}

export function reportOn(area: Area): CheckReport {
  const accepted = null
  return {
    good: (what, found) => ({ area, code: `${area}.good`, what, level: 'good', found, nextStep: null, accepted }),
    note: (code, what, found, nextStep) => ({ area, code, what, level: 'good', found, nextStep, accepted }),
    warning: (code, what, found, nextStep) => ({ area, code, what, level: 'warning', found, nextStep, accepted }),
    problem: (code, what, found, nextStep) => ({ area, code, what, level: 'problem', found, nextStep, accepted }),
  }
}

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

/** The next step after a text that may name it already: without permission it is the same command as another user. */
export function stepAfter(found: string, step: string): string {
  return found.includes(permissionAdvice()) ? 'follow that advice' : step
}

/** The findings, those of `check.accepted` with the reason written there. */
export function markAccepted(findings: readonly Finding[], accepted: readonly AcceptedFinding[]): Finding[] {
  return findings.map((finding) => {
    const { code, what } = finding
    const entry = accepted.find((one) => one.code === code && (one.what === null || one.what === what))
    return entry === undefined ? finding : { ...finding, accepted: entry.reason }
  })
}
