import type { z } from 'zod'

type Segment = string | number
/** Reports one mistake at a path below the checked value. */
export type ReportProblem = (path: readonly Segment[], problem: string) => void
type Check = (value: unknown, report: ReportProblem) => void

/**
 * Arguments of `superRefine` for a check that runs even if parts of the value are wrong, so that all mistakes are reported together.
 * The check sees those parts as written, so it must expect any value there.
 */
export function reportOn(check: Check): [(value: unknown, context: z.RefinementCtx) => void, { when: () => boolean }] {
  return [
    (value, context) => check(value, (path, message) => context.addIssue({ code: 'custom', path: [...path], message })),
    { when: () => true },
  ]
}

/** The value at the path; undefined if there is none. */
export function at(value: unknown, ...path: Segment[]): unknown {
  let current = value
  for (const segment of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined
    current = (current as Record<Segment, unknown>)[segment]
  }
  return current
}
