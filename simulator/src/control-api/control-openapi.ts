import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { Answer } from '../http/endpoint.ts'
import { ENVIRONMENTS } from '../interfaces.ts'
import type { ControlEndpoint } from './control-endpoint.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the control API, made from the schemas that check its requests. */
export function controlDocument(endpoints: readonly ControlEndpoint[]): object {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) {
    const path = `/control${endpoint.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint) }
  }
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Control of the simulated service', version: '1' },
    paths,
  })
}

function operationOf({
  id,
  summary,
  path,
  isForBoth,
  query,
  body,
  answers,
}: ControlEndpoint): ZodOpenApiOperationObject {
  const segments = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, z.string()])
  const environments = z.enum(ENVIRONMENTS)
  const environment = isForBoth ? environments.optional().describe('Left out: both') : environments.default('sandbox')
  return {
    operationId: id,
    summary,
    requestParams: { path: z.object(Object.fromEntries(segments)), query: z.object({ ...query?.shape, environment }) },
    ...(body !== undefined && {
      requestBody: { content: { 'application/json': { schema: body } } },
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
    ...(answered !== undefined && { content: { [type]: { schema: answered } } }),
  }
}
