import { z } from 'zod'
import type { Answer } from '../http/endpoint.ts'
import { ENVIRONMENTS } from '../interfaces.ts'
import type { ControlEndpoint } from './control-endpoint.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the control API, made from the schemas that check its requests. */
export function controlDocument(endpoints: readonly ControlEndpoint[]): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = `/control${endpoint.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Control of the simulated service', version: '1' },
    paths,
  }
}

function operationOf({ id, summary, path, isForBoth, query, body, answers }: ControlEndpoint): Json {
  const segments = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true },
    schema: { type: 'string' },
  }))
  const { properties = {}, required = [] } = (query === undefined ? {} : schemaOf(query, 'input')) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const queries = Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: 'query', required: required.includes(name) },
    schema,
  }))
  const schema = isForBoth
    ? { enum: ENVIRONMENTS, description: 'Left out: both' }
    : { enum: ENVIRONMENTS, default: 'sandbox' }
  const environment = { name: 'environment', in: 'query', schema }
  return {
    operationId: id,
    summary,
    parameters: [...segments, ...queries, environment],
    ...(body !== undefined && {
      requestBody: { content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: {
      400: responseOf('400', { description: 'The request is not valid: `error` says why' }),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, responseOf(status, answer)] as const),
      ),
    },
  }
}

const refusalSchema = z.object({ error: z.string().describe('What is wrong and what to do') })

function responseOf(status: string, { description, schema, type = 'application/json' }: Answer): Json {
  const answered = Number(status) >= 400 ? refusalSchema : schema
  return {
    description,
    ...(answered !== undefined && { content: { [type]: { schema: schemaOf(answered, 'output') } } }),
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}
