import { z } from 'zod'
import { INTERFACES } from '../interfaces.ts'

/** Which calls a fault meets, and which of them it changes. */
const choice = {
  interface: z.enum(INTERFACES).optional().describe('Left out: every interface'),
  count: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .optional()
    .describe('How many calls it changes; null: all. Default: 1, with a probability all'),
  probability: z.number().gt(0).max(1).optional().describe('Changes a call by chance. Left out: every call'),
  seed: z.int().min(0).default(1).describe('The same seed changes the same calls of a sequence'),
}

const ofCallback = {
  on: z.literal('callback'),
  ...choice,
  url: z.string().min(1).optional().describe('Text that the URL of the callback contains'),
}

const ofApi = {
  on: z.literal('api'),
  ...choice,
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  path: z.string().min(1).optional().describe('Text that the path of the request contains, with its query'),
}

const realMs = (most: number) => z.int().min(0).max(most)
const held = z
  .int()
  .min(1)
  .max(86_400)
  .default(60)
  .describe('Simulated seconds after which a waiting callback is sent anyway')

const callbackFaults = z.discriminatedUnion('fault', [
  z.strictObject({
    ...ofCallback,
    fault: z.literal('timeout').describe('Takes no answer, and counts as not answered in time'),
    afterMs: realMs(300_000).default(1000).describe('Real time from the last byte of the request to the end'),
  }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('late_answer').describe('Takes the answer, which counts as too late: the callback comes again'),
  }),
  z.strictObject({ ...ofCallback, fault: z.literal('cut_before_request') }),
  z.strictObject({ ...ofCallback, fault: z.literal('cut_after_request') }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('duplicate').describe('Sends the same bytes again'),
    copies: z.int().min(1).max(20).default(1),
  }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('reorder').describe('Sends a callback after the next one to the same URL'),
    holdSeconds: held,
  }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('several_facts').describe('Sends several callbacks to the same URL as one call'),
    facts: z.int().min(2).max(100).default(2),
    member: z.string().min(1).nullable().default(null).describe('Member that holds the facts; null: a root array'),
    holdSeconds: held,
  }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('same_id_other_content').describe('Sends the callback again with the same id and other content'),
    change: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON merge patch (RFC 7396) of the repeat. Left out: `valor` is 0.01 more, or a member `repeticao`'),
  }),
  z.strictObject({ ...ofCallback, fault: z.literal('drop').describe('Never sends the callback') }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('wrong_certificate'),
    certificate: z
      .enum(['sibling', 'expired', 'unknown-root', 'other-environment', 'rotated', 'none'])
      .default('sibling')
      .describe('`rotated`: of an issuing certificate that is not published. `none`: shows no certificate'),
  }),
  z.strictObject({ ...ofCallback, fault: z.literal('without_server_name').describe('Sends no SNI') }),
  z.strictObject({ ...ofCallback, fault: z.literal('tls12').describe('Offers TLS 1.2 only') }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('suffix').describe('Appends a text to the registered URL, also behind its query'),
    suffix: z
      .string()
      .regex(/^[!-~]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
      .default('/pix'),
  }),
  z.strictObject({
    ...ofCallback,
    fault: z.literal('slow_body').describe('Sends the body in pieces'),
    overMs: realMs(300_000).default(3000).describe('Real time from its first to its last piece'),
  }),
])

const apiFaults = z.discriminatedUnion('fault', [
  z.strictObject({
    ...ofApi,
    fault: z.literal('timeout').describe('Neither carries the request out nor answers it'),
    afterMs: realMs(600_000).default(120_000).describe('Real time after which the connection is closed'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('late_answer').describe('Carries the request out and answers later'),
    delayMs: realMs(600_000).default(5000),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('cut_before_request').describe('Closes the connection; the request is not carried out'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('cut_after_request').describe('Carries the request out and closes the connection, no answer'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z
      .literal('cut_in_answer')
      .describe('Carries the request out and closes the connection within the answer’s body'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('slow_answer').describe('Carries the request out and sends the answer’s body in pieces'),
    overMs: realMs(600_000).default(3000).describe('Real time from its first to its last piece'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('broken_body').describe('Carries the request out and answers its status with another body'),
    body: z.string().max(100_000).default('{"code":200,"data":').describe('Default: JSON without its end'),
    contentType: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, 'must be visible ASCII')
      .default('application/json'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('rate_limited').describe('Answers 429 with Retry-After'),
    retryAfter: z.int().min(0).max(86_400).default(1).describe('Seconds'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('server_error'),
    status: z.int().min(500).max(599).default(500),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('garbage').describe('Answers 200 with a page in HTML; the request is not carried out'),
  }),
  z.strictObject({
    ...ofApi,
    fault: z.literal('expired_token').describe('Ends the access token of the request, which is answered 401'),
  }),
])

export const faultSchema = z.discriminatedUnion('on', [callbackFaults, apiFaults])

export type CallbackFault = z.output<typeof callbackFaults>
export type ApiFault = z.output<typeof apiFaults>
export type Fault = CallbackFault | ApiFault
export type FaultName = Fault['fault']
