import { fixIn, type Server } from '../fixes/fix.ts'
import { fixOf, ruleOf } from '../preset-rules.ts'
import type { Report } from '../run.ts'
import type { Verdict } from '../scenario.ts'
import type { Source } from '../sources.ts'
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
  readonly source: Source
  readonly fix: Readonly<Record<Server, string>>
}

/** @param issuer as PIN_ISSUER wants it, of the run's own chain */
export function jsonOf({ ok, url, preset, issuer, results }: Report, language: Language): JsonReport {
  const tried = { path: new URL(url).pathname.replace(/\/+$/, ''), issuer }
  const scenarios = results.map(({ scenario, verdict, reason }) => {
    const { id, title } = scenario
    const why = ruleOf(scenario, preset)
    return {
      id,
      title: title[language],
      verdict,
      reason: reason[language],
      why: why[language],
      source: why.source,
      fix: fixIn(fixOf(scenario, preset), language, tried),
    }
  })
  return { ok, url, scenarios }
}
