import { z } from 'zod'
import { createDocument, type ZodOpenApiObject } from 'zod-openapi'
import { type Body, type Endpoint, TAGS } from '../http/endpoint.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import type { Operation } from '../http/operation.ts'
import { answersOf, describeAnswer } from './answers.ts'
import { addExamples, segmentExample } from './examples.ts'
import { type SecurityOptions, securityOf, securitySchemes } from './security.ts'
import { webhooks } from './webhooks.ts'

export interface DocumentOptions extends SecurityOptions {
  readonly operations: readonly Operation[]
  readonly version: string
}

const DESCRIPTION = `Portaria receives the callbacks of a payment institution, stores them, forwards them, and lets programs poll for them.

Every GET endpoint also answers HEAD. Any other method of a known path gets 405 with \`Allow\`. No answer may be cached.
Errors are RFC 9457 problems; below \`/registration\`, \`/payment\` and \`/charges\` they have the service's own format, and at the token endpoints that of
RFC 6749. Every answer has an \`x-request-id\`: the id of the request, if it is at most 64 letters, digits, dots, hyphens and underscores, or a
new one. Requests that the gateway sent itself (\`CDN-Loop\`, RFC 8586) get 508 on every path.`

/** The API as an OpenAPI 3.1 document: what the endpoints say, with the schemas that requests are checked with. */
export function openApiDocument(options: DocumentOptions): object {
  const { operations, version } = options
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation, options) }
  }
  const described: JsonSchema = {
    openapi: '3.1.1',
    info: { title: 'Portaria', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(),
    components: {
      headers: {
        RequestId: {
          description: "Identifies the request, also in the gateway's log.",
          required: true,
          schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
          example: 'req_0123456789',
        },
      },
      securitySchemes: securitySchemes(options),
    },
  }
  const document = createDocument(described as unknown as ZodOpenApiObject, { override: removeRedundancies })
  addExamples(document)
  return document
}

function describeOperation(operation: Operation, options: SecurityOptions): JsonSchema {
  const { id, tag, summary, description, body } = operation
  const parameters = [...segmentsOf(operation), ...queryOf(operation), ...headersOf(operation)]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(operation, options),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: describeBody(body) }),
    responses: Object.fromEntries(
      Object.entries(answersOf(operation)).map(([status, answer]) => [status, describeAnswer(answer)]),
    ),
  }
}

function segmentsOf({ path, segments = {} }: Endpoint): JsonSchema[] {
  return Object.entries(segments).map(([name, description]) => {
    const example = segmentExample(path, name)
    return { name, in: 'path', required: true, description, schema: { type: 'string' }, example }
  })
}

/** Queries are text: the document shows the schema of what is read from it, and as required what the text must contain. */
function queryOf({ query }: Endpoint): JsonSchema[] {
  if (query === undefined) return []
  const { required = [] } = z.toJSONSchema(query, { io: 'input' })
  const { properties = {} } = z.toJSONSchema(query, {
    io: 'output',
    unrepresentable: 'any',
    override: removeRedundancies,
  })
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => {
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}

function headersOf({ headers = {} }: Endpoint): JsonSchema[] {
  return Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } }
  })
}

function describeBody({ schema, types, isRequired, example }: Body): JsonSchema {
  const content = { schema, ...(example !== undefined && { example }) }
  return { required: isRequired, content: Object.fromEntries(types.map((type) => [type, content])) }
}

/** Removes patterns that only repeat the format, and bounds that only repeat "integer". */
function removeRedundancies({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}
