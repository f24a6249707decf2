import type { Schema } from './json-schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

/** One operation of an OpenAPI document. Forms, commands and pages of the simulator come from it. */
export interface DescribedOperation {
  readonly id: string
  readonly method: string
  /** With `{id}` for its segments. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** null: it takes none. */
  readonly body: { readonly schema: Schema; readonly example?: unknown } | null
  readonly answers: readonly { readonly status: number; readonly description: string }[]
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
  }
  readonly responses?: Readonly<Record<string, { readonly description: string }>>
}

/** Of the simulator, which writes every operation with its id and summary. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

export function describedOperations({ paths }: OpenApiDocument): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId: id, description = '', parameters = [], ...described }]) => ({
      id,
      method: method.toUpperCase(),
      path,
      summary: described.summary,
      description,
      parameters,
      body: described.requestBody?.content['application/json'] ?? null,
      answers: Object.entries(described.responses ?? {}).map(([status, answer]) => ({
        status: Number(status),
        description: answer.description,
      })),
    })),
  )
}
