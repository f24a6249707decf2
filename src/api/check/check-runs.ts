import type { z } from 'zod'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { iso } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import { checkLineSchema, type checkReportSchema } from './schema.ts'

export type CheckReport = View<typeof checkReportSchema>
type Line = z.output<typeof checkLineSchema>

/** Runs the check once and gives the lines of its JSON output. @throws the reason why it did not come to its end */
export type RunCheck = () => Promise<readonly string[]>

/** The checks that this gateway runs, one at a time. */
export interface CheckRuns {
  /** A request during a run gets the result of that run. @throws PortariaError `store_unavailable` for a run that did not come to its end */
  run(): Promise<CheckReport>
  /** The last report since the start; null: there is none. */
  latest(): CheckReport | null
}

export function createCheckRuns(runCheck: RunCheck, now: () => number): CheckRuns {
  let running: Promise<CheckReport> | null = null
  let latest: CheckReport | null = null

  async function runNow(): Promise<CheckReport> {
    const startedAt = now()
    try {
      const lines = (await runCheck()).map(lineOf)
      latest = reportOf(lines, { startedAt: iso(startedAt), durationMs: Math.max(0, now() - startedAt) })
      return latest
    } catch (error) {
      throw new PortariaError('store_unavailable', `${messageOf(error)}; ${ADVICE}`, { cause: error })
    } finally {
      running = null
    }
  }

  return {
    run() {
      running ??= runNow()
      return running
    },
    latest: () => latest,
  }
}

const ADVICE = `run "${COMMAND} check" on the gateway's machine`

function lineOf(text: string): Line {
  const line = checkLineSchema.safeParse(JSON.parse(text))
  if (line.success) return line.data
  throw new Error(`the check printed what is no finding: ${text.slice(0, 200)}`)
}

function reportOf(lines: readonly Line[], run: Pick<CheckReport, 'startedAt' | 'durationMs'>): CheckReport {
  const summary = lines.find((line) => 'ok' in line)
  if (summary === undefined) throw new Error('the check printed no summary')
  return { ...run, summary, findings: lines.filter((line) => 'area' in line) }
}
