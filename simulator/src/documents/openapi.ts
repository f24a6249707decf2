import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { Answer, Endpoint } from '../http/endpoint.ts'
import { routeWith, withSegment } from '../http/path-segment.ts'
import { problemSchema, scopeErrorSchema } from '../http/service-error.ts'
import { type Interface, requiresCertificate, TOKEN_PATHS } from '../interfaces.ts'
import { callbacksOf, type DocumentedCallback } from './callback-bodies.ts'
import { addExamples } from './openapi-examples.ts'

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

export interface Served {
  /** In place of `svc` in paths and scopes. */
  readonly segment: string
  /** Base address of the interface. */
  readonly url: string
  /** Name of the last member of a payment callback. */
  readonly paymentExtras: string
}

/** The OpenAPI 3.1 document of an interface, made from the schemas that check its requests. */
export function documentOf(name: Interface, endpoints: readonly Endpoint[], served: Served): object {
  const { segment, url, paymentExtras } = served
  const callbacks = callbacksOf(name, paymentExtras)
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) {
    const path = routeWith(segment, endpoint.path).replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(name, endpoint, segment) }
  }
  paths[TOKEN_PATHS[name]] = { post: tokenOperation(name) }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: `The service, simulated: ${name}`,
      version: '1',
      description: requiresCertificate(name)
        ? 'Every request needs a client certificate of the account.'
        : 'No request needs a client certificate.',
    },
    servers: [{ url }],
    paths,
    ...(callbacks.length > 0 && { webhooks: webhooksOf(callbacks) }),
    components: {
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: `${url}${TOKEN_PATHS[name]}`,
              scopes: scopesOf(endpoints, segment),
            },
          },
        },
        basic: { type: 'http', scheme: 'basic' },
        ...(requiresCertificate(name) && { certificate: { type: 'mutualTLS', description: CERTIFICATE } }),
      },
    },
  })
  addExamples(name, document)
  return document
}

const CERTIFICATE = 'Client certificate of the account'

function certificateFor(name: Interface): Json {
  return requiresCertificate(name) ? { certificate: [] } : {}
}

/** Each scope with what it allows. */
function scopesOf(endpoints: readonly Endpoint[], segment: string): Record<string, string> {
  const scopes: Record<string, string> = {}
  for (const { scope, summary } of endpoints) {
    if (scope === null) continue
    const name = withSegment(scope, segment)
    scopes[name] = scopes[name] === undefined ? summary : `${scopes[name]}. ${summary}`
  }
  return scopes
}

/** One webhook for each name: several bodies of it are media types. OpenAPI 3.1 section 4.8.1. */
function webhooksOf(callbacks: readonly DocumentedCallback[]): ZodOpenApiPathsObject {
  const webhooks: Record<string, { post: ZodOpenApiOperationObject }> = {}
  for (const { name, summary, description, schema, type, example } of callbacks) {
    const content = {
      ...webhooks[name]?.post.requestBody?.content,
      [type]: { schema, example },
    }
    const responses = { 200: { description: 'Any 2xx within the time: it arrived. Another answer: it comes again' } }
    const post = { operationId: name, summary, description, security: [], requestBody: { required: true, content } }
    webhooks[name] = { post: { ...post, responses } }
  }
  return webhooks
}

function operationOf(name: Interface, endpoint: Endpoint, segment: string): ZodOpenApiOperationObject {
  const { id, number, summary, scope, query, body, answers } = endpoint
  const errors = Object.entries(ERRORS)
    .filter(([status]) => status !== '403' || scope !== null)
    .map(([status, description]) => [status, { description }] as const)
  return {
    operationId: id,
    summary,
    ...(number !== null && { description: `Document ${number.replace(':', ', endpoint ')}.` }),
    security: [{ oauth: scope === null ? [] : [withSegment(scope, segment)], ...certificateFor(name) }],
    parameters: segmentsOf(name, endpoint),
    ...(query !== undefined && { requestParams: { query } }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
    }),
    responses: Object.fromEntries(
      [...errors, ...Object.entries(answers)].map(([status, answer]) => [
        status,
        { ...responseOf(withErrorSchema(name, status, answer)), ...headersOf(status) },
      ]),
    ),
  }
}

const HEADERS: Readonly<Record<string, Json>> = {
  401: { 'WWW-Authenticate': { description: 'RFC 6750 section 3', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } },
}

function headersOf(status: string): Json {
  const headers = HEADERS[status]
  return headers === undefined ? {} : { headers }
}

const chargeProblemSchema = z.object({
  code: z.int(),
  error: z.string(),
  error_description: z.union([z.string(), z.object({ property: z.string(), message: z.string() })]),
})

/** Errors without a schema of their own have the interface's form. */
function withErrorSchema(name: Interface, status: string, answer: Answer): Answer {
  if (Number(status) < 400 || answer.schema !== undefined) return answer
  if (status === '403') return { ...answer, schema: scopeErrorSchema }
  return { ...answer, schema: name === 'charges' ? chargeProblemSchema : problemSchema }
}

function segmentsOf(on: Interface, { path, digits = [] }: Endpoint) {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: segmentSchema(on, name, digits.includes(name)),
  }))
}

/** Ids of the charges interface are numbers in its answers, so they are numbers in its paths too. */
function segmentSchema(on: Interface, name: string, hasDigits: boolean): Json {
  if (on === 'charges' && name === 'id') return { type: 'integer' }
  if (name === 'codBarras') return { type: 'string', pattern: '^(\\d{44}|\\d{47}|\\d{48})$' }
  return { type: 'string', ...(hasDigits && { pattern: '^[0-9]+$' }) }
}

function responseOf({ description, schema, type = 'application/json' }: Answer): Json {
  if (schema !== undefined) return { description, content: { [type]: { schema } } }
  return { description, ...(type !== 'application/json' && { content: { [type]: { schema: { type: 'string' } } } }) }
}

/** RFC 6749 section 5.2. */
const oauthErrorSchema = z.object({ error: z.string(), error_description: z.string() })

function tokenOperation(name: Interface): ZodOpenApiOperationObject {
  const fields = z.strictObject({ grant_type: z.literal('client_credentials'), scope: z.string().optional() })
  const token = z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    scope: z.string(),
  })
  const content = { schema: fields }
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
    security: [{ basic: [], ...certificateFor(name) }],
    requestBody: {
      required: true,
      content: { 'application/json': content, 'application/x-www-form-urlencoded': content },
    },
    responses: {
      200: { description: 'The token', content: { 'application/json': { schema: token } } },
      ...failures,
      400: oauthError('Wrong grant type or scope'),
      401: oauthError('Wrong credentials'),
    },
  }
}
