import { z } from 'zod'
import { flag } from '../http/query.ts'
import { time } from '../http/schema-parts.ts'

const findingSchema = z
  .strictObject({
    area: z.string().describe('Such as certificates or storage'),
    code: z.string().describe('Stable; check.accepted of the configuration names it'),
    what: z.string().describe('The subject of the finding within its area'),
    level: z.enum(['good', 'warning', 'problem']),
    found: z.string(),
    nextStep: z.string().nullable().describe('null: none'),
    accepted: z.string().nullable().describe('Why the configuration accepts it; null: it does not'),
  })
  .meta({ id: 'CheckFinding' })

const count = z.int().min(0)

const summarySchema = z
  .strictObject({
    ok: z.boolean().describe('There is no problem'),
    good: count,
    warnings: count.describe('Without accepted ones, like the problems'),
    problems: count,
    accepted: count,
  })
  .meta({ id: 'CheckSummary' })

/** What `portaria check --json` prints: one finding or the summary. */
export const checkLineSchema = z.union([findingSchema, summarySchema])

export const checkReportSchema = z
  .strictObject({
    startedAt: time,
    durationMs: count,
    summary: summarySchema,
    findings: z.array(findingSchema),
  })
  .meta({ id: 'CheckReport', description: 'The output of `portaria check --json`.' })

export const checkQuerySchema = z.strictObject({
  latest: flag('Answers with the last report since the start instead of running the check; 404 if there is none.'),
})
