import { type Agent, request } from 'undici'
import { type Environment, INTERFACES, type Interface } from '../interfaces.ts'
import type { Schema } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

/** One endpoint, as the OpenAPI document of its interface describes it. */
export interface Operation {
  readonly on: Interface
  readonly id: string
  /** `1:22`; null: an endpoint of service-decisions.md, or a token endpoint. */
  readonly number: string | null
  readonly method: string
  /** Within the interface, with `{id}` for its segments. */
  readonly path: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: Schema; readonly example: unknown } | null
  readonly answers: readonly { readonly status: number; readonly description: string }[]
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example: unknown }>>
  }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

/** Where the documents are. */
interface DocumentSource {
  baseOf(environment: Environment, on: Interface): string
  agent(environment: Environment, files: null): Agent
}

/** The token endpoints have this id at every interface. */
export const TOKEN = 'token'

/** The endpoints of all interfaces, in the order of the documents; those without a number and the token endpoints come last. */
export async function readOperations({ agent, baseOf }: DocumentSource): Promise<readonly Operation[]> {
  const all = await Promise.all(
    INTERFACES.map(async (on) => {
      const { body } = await request(`${baseOf('sandbox', on)}/openapi.json`, { dispatcher: agent('sandbox', null) })
      const { paths } = (await body.json()) as Document
      return Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, described]) => operationOf(on, path, method, described)),
      )
    }),
  )
  return all.flat().toSorted((one, other) => rankOf(one) - rankOf(other))
}

function operationOf(on: Interface, path: string, method: string, described: Described): Operation {
  const { operationId: id, summary, description = '', parameters = [], requestBody, responses } = described
  const [, document, number] = /^Document ([12]), endpoint (\d+)\.$/.exec(description) ?? []
  return {
    on,
    id,
    number: document === undefined ? null : `${document}:${number}`,
    method: method.toUpperCase(),
    path,
    summary,
    parameters,
    body: requestBody?.content['application/json'] ?? null,
    answers: Object.entries(responses).map(([status, answer]) => ({
      status: Number(status),
      description: answer.description,
    })),
  }
}

function rankOf({ number, id }: Operation): number {
  if (number === null) return id === TOKEN ? 3000 : 2500
  const [document, endpoint] = number.split(':').map(Number) as [number, number]
  return document * 1000 + endpoint
}
