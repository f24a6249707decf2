import { z } from 'zod'
import { ERROR_CODES } from '../../platform/errors.ts'

const violationSchema = z
  .strictObject({
    pointer: z
      .string()
      .regex(/^#(\/.*)?$/)
      .optional()
      .describe('Where in the body: a JSON Pointer as a URI fragment (RFC 6901 section 6)'),
    parameter: z.string().optional().describe('Which parameter of the query'),
    detail: z.string(),
  })
  .meta({ id: 'Violation', description: 'One thing that is wrong.' })

/** RFC 9457. */
export const problemSchema = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z.enum(['internal', ...ERROR_CODES]).describe('What programs look at'),
    detail: z.string().describe('What was wrong and what to do, for people'),
    requestId: z.string().describe('As in the header x-request-id: the log of the gateway has it too'),
    next: z.string().optional().describe('With gone, where events were asked for: the cursor to go on with'),
    errors: z.array(violationSchema).min(1).optional().describe('Everything that is wrong with the request'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' })

/** Of 421, which any path may answer. */
export const MISDIRECTED =
  'The Host header names no host of this API (api.hostNames). Only on a loopback address without TLS.'
