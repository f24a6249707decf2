import { z } from 'zod'
import { type Body, type Endpoint, TAGS } from '../http/endpoint.ts'
import { componentSchemas, type JsonSchema, referenceTo } from '../http/json-schema.ts'
import type { Operation } from '../http/operation.ts'
import { answersOf, describeAnswer } from './answers.ts'
import { KNOWN_VALUES } from './example-values.ts'
import { answerWithExample, bodyWithExample, type ExampleOf, segmentExample } from './examples.ts'
import { createExamples } from './schema-example.ts'
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
export function openApiDocument(options: DocumentOptions): JsonSchema {
  const { operations, version } = options
  const answers = operations.flatMap((operation) => Object.values(answersOf(operation)))
  const schemas = componentSchemas({
    input: withoutUndefined(operations.map(({ body }) => body?.schema)),
    output: withoutUndefined(answers.map(({ schema }) => schema)),
  })
  const exampleOf = createExamples(schemas, KNOWN_VALUES)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation, options, exampleOf) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Portaria', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(),
    components: {
      schemas,
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
}

function describeOperation(operation: Operation, options: SecurityOptions, exampleOf: ExampleOf): JsonSchema {
  const { id, tag, summary, description, body } = operation
  const parameters = [...segmentsOf(operation), ...queryOf(operation), ...headersOf(operation)]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(operation, options),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: bodyWithExample(describeBody(body), exampleOf) }),
    responses: Object.fromEntries(
      Object.entries(answersOf(operation)).map(([status, answer]) => {
        const of = { id, status: Number(status) }
        return [status, answerWithExample(describeAnswer(answer), of, exampleOf)]
      }),
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
  const { properties = {} } = z.toJSONSchema(query, { io: 'output', unrepresentable: 'any', override: withoutPattern })
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => {
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}

function headersOf({ headers = {} }: Endpoint): JsonSchema[] {
  return Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } }
  })
}

function withoutPattern({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
}

function describeBody({ schema, types, isRequired, example }: Body): JsonSchema {
  const content = { schema: referenceTo(schema), ...(example !== undefined && { example }) }
  return { required: isRequired, content: Object.fromEntries(types.map((type) => [type, content])) }
}

function withoutUndefined<T>(all: readonly (T | undefined)[]): Set<T> {
  return new Set(all.filter((one) => one !== undefined))
}
