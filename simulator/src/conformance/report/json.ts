import { fixIn, type Server } from '../fixes.ts'
import type { Report } from '../run.ts'
import type { Verdict } from '../scenario.ts'
import type { Language } from '../text.ts'

/** What --json prints. */
export interface JsonReport {
  readonly ok: boolean
  readonly url: string
  readonly scenarios: readonly JsonScenario[]
}

export interface JsonScenario {
  readonly id: string
  readonly title: string
  readonly verdict: Verdict
  readonly reason: string
  readonly why: string
  readonly fix: Readonly<Record<Server, string>>
}

export function jsonOf({ ok, url, results }: Report, language: Language): JsonReport {
  const scenarios = results.map(({ scenario: { id, title, why, fix }, verdict, reason }) => ({
    id,
    title: title[language],
    verdict,
    reason: reason[language],
    why: why[language],
    fix: fixIn(fix, language),
  }))
  return { ok, url, scenarios }
}
