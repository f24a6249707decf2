import { z } from 'zod'
import { type Interface, requiresCertificate, TOKEN_PATHS } from '../interfaces.ts'
import type { Answer, Endpoint } from './endpoint.ts'
import { routeWith, withSegment } from './path-segment.ts'

type Json = Record<string, unknown>

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'No access token, or one of another interface, environment or certificate',
  403: 'The token lacks the scope',
  413: 'The body is larger than 256 KiB',
  415: 'The body is not JSON, or is compressed',
  429: 'Too many requests: wait as long as Retry-After says',
  500: 'The service failed',
}

/** The OpenAPI 3.1 document of an interface, made from the schemas that check its requests. */
export function documentOf(name: Interface, endpoints: readonly Endpoint[], segment: string): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = routeWith(segment, endpoint.path).replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(name, endpoint, segment) }
  }
  paths[TOKEN_PATHS[name]] = { post: tokenOperation(name) }
  return {
    openapi: '3.1.0',
    info: {
      title: `The service, simulated: ${name}`,
      version: '1',
      description: requiresCertificate(name)
        ? 'Every request needs a client certificate of the account.'
        : 'No request needs a client certificate.',
    },
    servers: [{ url: `/${name}` }],
    paths,
    components: {
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          flows: {
            clientCredentials: { tokenUrl: `/${name}${TOKEN_PATHS[name]}`, scopes: scopesOf(endpoints, segment) },
          },
        },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  }
}

function scopesOf(endpoints: readonly Endpoint[], segment: string): Record<string, string> {
  const scopes = endpoints.flatMap(({ scope, summary }) =>
    scope === null ? [] : [[withSegment(scope, segment), summary]],
  )
  return Object.fromEntries(scopes) as Record<string, string>
}

function operationOf(name: Interface, endpoint: Endpoint, segment: string): Json {
  const { id, number, summary, scope, body, answers } = endpoint
  const errors = Object.entries(ERRORS).map(([status, description]) => [status, { description }] as const)
  return {
    operationId: id,
    summary,
    ...(number !== null && { description: `Document ${number.replace(':', ', endpoint ')}.` }),
    security: [{ oauth: scope === null ? [] : [withSegment(scope, segment)] }],
    parameters: parametersOf(endpoint),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: Object.fromEntries(
      [...errors, ...Object.entries(answers)].map(([status, answer]) => [
        status,
        responseOf(withErrorSchema(name, status, answer)),
      ]),
    ),
  }
}

/** Errors of Document 1's interfaces. */
export const problemSchema = z.object({
  nome: z.string(),
  mensagem: z.string(),
  erros: z.array(z.object({ caminho: z.string(), mensagem: z.string() })).optional(),
})

const chargeProblemSchema = z.object({
  code: z.int(),
  error: z.string(),
  error_description: z.union([z.string(), z.object({ property: z.string(), message: z.string() })]),
})

export const scopeErrorSchema = z.object({ error: z.literal('insufficient_scope'), error_description: z.string() })

/** Errors without a schema of their own have the interface's form. */
function withErrorSchema(name: Interface, status: string, answer: Answer): Answer {
  if (Number(status) < 400 || answer.schema !== undefined) return answer
  if (status === '403') return { ...answer, schema: scopeErrorSchema }
  return { ...answer, schema: name === 'charges' ? chargeProblemSchema : problemSchema }
}

function parametersOf({ path, digits = [], query }: Endpoint): Json[] {
  const segments = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(digits.includes(name) && { pattern: '^[0-9]+$' }) },
  }))
  if (query === undefined) return segments
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const queries = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  return [...segments, ...queries]
}

function responseOf({ description, schema, type = 'application/json' }: Answer): Json {
  if (schema !== undefined) return { description, content: { [type]: { schema: schemaOf(schema, 'output') } } }
  return { description, ...(type !== 'application/json' && { content: { [type]: { schema: { type: 'string' } } } }) }
}

/** RFC 6749 section 5.2. */
const oauthErrorSchema = z.object({ error: z.string(), error_description: z.string() })

function tokenOperation(name: Interface): Json {
  const fields = z.strictObject({ grant_type: z.literal('client_credentials'), scope: z.string().optional() })
  const token = z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    scope: z.string(),
  })
  const content = { schema: schemaOf(fields, 'input') }
  const oauthError = (description: string) => responseOf({ description, schema: oauthErrorSchema })
  const failures = Object.fromEntries(
    ['413', '415', '429', '500'].map((status) => [
      status,
      responseOf(withErrorSchema(name, status, { description: ERRORS[Number(status)] ?? '' })),
    ]),
  )
  return {
    operationId: 'token',
    summary: 'Fetch an access token (RFC 6749 section 4.4)',
    security: [{ basic: [] }],
    requestBody: {
      required: true,
      content: { 'application/json': content, 'application/x-www-form-urlencoded': content },
    },
    responses: {
      200: { description: 'The token', content: { 'application/json': { schema: schemaOf(token, 'output') } } },
      ...failures,
      400: oauthError('Wrong grant type or scope'),
      401: oauthError('Wrong credentials'),
    },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}
