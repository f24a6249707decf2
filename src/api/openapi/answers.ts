import type { z } from 'zod'
import { tokenErrorSchema } from '../auth/schema.ts'
import type { Answer, Endpoint, ErrorShape } from '../http/endpoint.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import { MISDIRECTED, problemSchema } from '../http/problem-schema.ts'
import { chargesErrorSchema } from '../service-api/charges-schema.ts'
import { missingScopeSchema, serviceErrorSchema } from '../service-api/schema.ts'

const SHAPES: Readonly<Record<ErrorShape, { readonly schema: z.ZodType; readonly type: string }>> = {
  problem: { schema: problemSchema, type: 'application/problem+json' },
  service: { schema: serviceErrorSchema, type: 'application/json' },
  charges: { schema: chargesErrorSchema, type: 'application/json' },
  token: { schema: tokenErrorSchema, type: 'application/json' },
}

const text = (description: string) => ({ description, schema: { type: 'string' } })
const CHALLENGE = { 'www-authenticate': text('Why the token was refused (RFC 6750 section 3).') }
const RETRY_AFTER = { 'retry-after': text('Seconds to wait before the next request.') }

/** Answers that follow from the endpoint's other members. */
function impliedAnswers(endpoint: Endpoint): Record<number, Answer> {
  const { access, errors, segments, body } = endpoint
  const isPublic = access === 'public'
  return {
    400: { description: 'The request is malformed or invalid.' },
    ...(!isPublic && {
      401: { description: 'The token is missing or invalid.', headers: CHALLENGE },
      403: {
        description: 'The token lacks the scope, or the client may not do this.',
        headers: CHALLENGE,
        ...(errors === 'service' && { schema: missingScopeSchema }),
      },
    }),
    ...(segments && { 404: { description: 'The object that the path names does not exist.' } }),
    ...(body && {
      413: { description: 'The body is too large.' },
      415: { description: 'The content type is not supported, or the body is encoded.' },
    }),
    421: { description: MISDIRECTED },
    ...(!isPublic && {
      429: {
        description:
          'Too many invalid tokens came from this address, or too many requests of this client are waiting (`wait`).',
        headers: RETRY_AFTER,
      },
    }),
    500: { description: 'Internal error. The log has the details, with the request id.' },
    ...((!isPublic || body) && {
      503: { description: body ? BUSY : 'The store is unavailable.', headers: RETRY_AFTER },
    }),
  }
}

const BUSY = 'The store is unavailable, or too many request bodies are being read.'

/** Every answer of an endpoint, by status. */
export function answersOf(endpoint: Endpoint): Record<number, Answer> {
  const all: Record<number, Answer> = impliedAnswers(endpoint)
  for (const [status, answer] of Object.entries(endpoint.answers))
    all[Number(status)] = { ...all[Number(status)], ...answer }
  const shape = SHAPES[endpoint.errors]
  return Object.fromEntries(
    Object.entries(all).map(([status, answer]) => [status, Number(status) < 400 ? answer : { ...shape, ...answer }]),
  )
}

/** OpenAPI 3.1 section 4.8.17. */
export function describeAnswer({ description, schema, type, headers }: Answer): JsonSchema {
  const hasBody = schema !== undefined || type !== undefined
  return {
    description,
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...headers },
    ...(hasBody && { content: { [type ?? 'application/json']: schema === undefined ? {} : { schema } } }),
  }
}
