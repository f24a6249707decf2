import { fixIn, type Server } from '../fixes/fix.ts'
import { fixOf, ruleOf } from '../preset-rules.ts'
import type { Report } from '../run.ts'
import type { Verdict } from '../scenario.ts'
import type { Source } from '../sources.ts'
import type { Language } from '../text.ts'

/** By these texts an earlier report is known, which a new one replaces. */
export const HTML_MARK = '<meta name="generator" content="portaria conformance">'
export const JUNIT_MARK = '<testsuites name="conformance"'

/** What --json prints. */
export interface JsonReport {
  readonly ok: boolean
  readonly url: string
  /** null: no institution was named. */
  readonly preset: string | null
  /** When the run began (RFC 3339). */
  readonly at: string
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
export function jsonOf({ ok, url, preset, at, issuer, results }: Report, language: Language): JsonReport {
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
  return { ok, url, preset, at, scenarios }
}
