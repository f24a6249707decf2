import type { z } from 'zod'
import { tokenErrorSchema } from '../auth/schema.ts'
import type { Answer, Endpoint, ErrorShape } from '../http/endpoint.ts'
import { MISDIRECTED, problemSchema } from '../http/problem-schema.ts'
import { missingScopeSchema, serviceErrorSchema } from '../service-api/schema.ts'
import { type JsonSchema, referenceTo } from './json-schema.ts'

const SHAPES: Readonly<Record<ErrorShape, { readonly schema: z.ZodType; readonly type: string }>> = {
  problem: { schema: problemSchema, type: 'application/problem+json' },
  service: { schema: serviceErrorSchema, type: 'application/json' },
  token: { schema: tokenErrorSchema, type: 'application/json' },
}

const text = (description: string) => ({ description, schema: { type: 'string' } })
const CHALLENGE = { 'www-authenticate': text('What is wrong with the token (RFC 6750 section 3).') }
const COME_BACK = { 'retry-after': text('How many seconds to wait.') }

/** Answers that follow from the endpoint's other members. */
function impliedAnswers(endpoint: Endpoint): Record<number, Answer> {
  const { access, errors, segments, body } = endpoint
  const isPublic = access === 'public'
  return {
    400: { description: 'The request cannot be read, or is wrong.' },
    ...(!isPublic && {
      401: { description: 'There is no token, or one that does not count.', headers: CHALLENGE },
      403: {
        description: 'The token lacks the scope, or its client may not do this.',
        headers: CHALLENGE,
        ...(errors === 'service' && { schema: missingScopeSchema }),
      },
    }),
    ...(segments && { 404: { description: 'What the path names is not there.' } }),
    ...(body && {
      413: { description: 'The body is too large.' },
      415: { description: 'The body is of another content type, or is encoded.' },
    }),
    421: { description: MISDIRECTED },
    ...(!isPublic && {
      429: {
        description:
          'Too many failed tokens came from this address, or too many requests of this client wait (`wait`) already.',
        headers: COME_BACK,
      },
    }),
    500: { description: 'It failed. The log says why, beside the request id.' },
    ...((!isPublic || body) && {
      503: { description: body ? BUSY : 'The store cannot be used just now.', headers: COME_BACK },
    }),
  }
}

const BUSY = 'The store cannot be used just now, or too many request bodies are being read.'

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

/** As a document writes it (OpenAPI 3.1 section 4.8.17). */
export function describeAnswer({ description, schema, type, headers }: Answer): JsonSchema {
  const content = contentOf(schema, type)
  return {
    description,
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...headers },
    ...(content !== null && { content }),
  }
}

function contentOf(schema: z.ZodType | undefined, type: string | undefined): JsonSchema | null {
  if (schema !== undefined) return { [type ?? 'application/json']: { schema: referenceTo(schema) } }
  return type === undefined ? null : { [type]: {} }
}
