import { z } from 'zod'
import type { EventFilter } from '../../domain/event-record.ts'
import { given } from '../../platform/given.ts'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'
import { checked, environment } from '../http/schema-parts.ts'

const when = checked((text) => (parseTime(text) === null ? TIME_FORMS : null))

/** Selects events in a body, like the query of `GET /v1/events`. */
export const eventFilterSchema = z
  .strictObject({
    kinds: z
      .array(z.string())
      .min(1, 'must name at least one kind')
      .max(100)
      .optional()
      .describe('Only these kinds. Default: every kind except probe and operator.'),
    institution: z.string().optional().describe('Only events of this institution'),
    environment: environment.optional(),
    subject: z.string().optional().describe('Only events about this business id'),
    status: z.string().optional(),
    from: when.optional().describe('Only events received at or after this time; a date alone means midnight UTC'),
    to: when.optional().describe('Only events received before this time'),
  })
  .meta({ id: 'EventFilter', description: 'Selects events; omitted members select all.' })

export function eventFilterFrom(body: z.output<typeof eventFilterSchema>): EventFilter {
  const { from, to, ...rest } = body
  return given({ ...rest, receivedFrom: timeOf(from), receivedTo: timeOf(to) })
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : (parseTime(text) ?? undefined)
}
