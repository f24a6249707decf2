import { z } from 'zod'
import { ERROR_CODES } from '../../platform/errors.ts'

const violationSchema = z
  .strictObject({
    pointer: z
      .string()
      .regex(/^#(\/.*)?$/)
      .optional()
      .describe('Place in the body: a JSON Pointer as a URI fragment (RFC 6901 section 6)'),
    parameter: z.string().optional().describe('Query parameter'),
    detail: z.string(),
  })
  .meta({ id: 'Violation', description: 'One error in a request.' })

/** RFC 9457. */
export const problemSchema = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z
      .enum(['internal', ...ERROR_CODES])
      .describe('Stable error code for programs; docs/codes.md says what each means, and what to do'),
    detail: z.string().describe('What was wrong and what to do, in words'),
    template: z
      .string()
      .optional()
      .describe('`detail` with `{name}` in place of each value, for programs that show it in another language'),
    values: z.record(z.string(), z.string()).optional().describe('The values in `template`, by their names'),
    requestId: z.string().describe("Same as the header x-request-id; also in the gateway's log"),
    next: z
      .string()
      .optional()
      .describe('With code gone, for requests for events: the cursor that continues after the gap'),
    errors: z.array(violationSchema).min(1).optional().describe('Every error found in the request'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' })

/** Description of 421, a possible answer of every path. */
export const MISDIRECTED =
  'The Host header does not name this API (api.hostNames). Only on a loopback address without TLS.'
