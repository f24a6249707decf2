import { z } from 'zod'
import type { Answer, Operation } from '../http/endpoint.ts'
import { MISDIRECTED, problemSchema } from '../http/problem-schema.ts'
import { serviceErrorSchema } from '../service-api/schema.ts'
import { TOKEN_ERROR_CODES } from './token-request.ts'

const GRANT = 'client_credentials'

/** RFC 6749 section 4.4.2. What is unknown is passed over, as section 3.2 has it. */
const tokenRequestSchema = z
  .looseObject({
    grant_type: z.literal(GRANT),
    scope: z.string().nullish().describe('Names with spaces between them; by itself all that the client has'),
    client_id: z.string().nullish().describe('In place of HTTP Basic, with client_secret'),
    client_secret: z.string().nullish(),
  })
  .meta({ id: 'TokenRequest' })

/** RFC 6749 section 5.1. */
const tokenSchema = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('In seconds'),
    scope: z.string(),
  })
  .meta({ id: 'Token', description: 'An access token.' })

/** RFC 6749 section 5.2. */
export const tokenErrorSchema = z
  .strictObject({ error: z.enum(TOKEN_ERROR_CODES), error_description: z.string() })
  .meta({ id: 'TokenError', description: 'An error of a token endpoint (RFC 6749 section 5.2).' })

const common = {
  method: 'post',
  tag: 'Tokens',
  access: 'public',
  errors: 'token',
  body: {
    schema: tokenRequestSchema,
    types: ['application/x-www-form-urlencoded', 'application/json'],
    isRequired: true,
    example: { grant_type: GRANT, scope: 'events.read' },
  },
} as const

const answers = {
  200: { description: 'A token. It counts for an hour.', schema: tokenSchema },
  401: {
    description: 'No client has this id and secret, or a client certificate is missing.',
    headers: { 'www-authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } },
  },
  429: {
    description: 'This client failed too often from this address.',
    headers: { 'retry-after': { description: 'How many seconds to wait.', schema: { type: 'string' } } },
  },
} as const

/** What no token is refused for. @param problem how such an error looks at this path */
function failures(problem: Pick<Answer, 'schema' | 'type'>): Record<number, Answer> {
  return {
    421: { description: MISDIRECTED, ...problem },
    500: { description: 'It failed. The log says why.', ...problem },
    503: { description: 'Too many request bodies are being read.', ...problem },
  }
}

export const TOKEN_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'getToken', path: '/oauth/token' },
    summary: 'Get an access token',
    answers: { ...answers, ...failures({ schema: problemSchema, type: 'application/problem+json' }) },
  },
  ...(['registration', 'payment'] as const).map(
    (base): Operation => ({
      ...common,
      ...{ id: `getTokenFor${base === 'payment' ? 'Payment' : 'Registration'}`, path: `/${base}/v1/oauth/token` },
      summary: `Get an access token, below ${base === 'payment' ? 'the payment' : 'the registration'} base address`,
      description: 'The same, where an app that was written for the service asks for it.',
      answers: { ...answers, ...failures({ schema: serviceErrorSchema }) },
    }),
  ),
]
