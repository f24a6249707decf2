import { INTERFACES, type Interface } from '../src/interfaces.ts'
import type { RunningSimulator } from './running.ts'

/** An operation of an interface, by its OpenAPI document. */
export interface Operation {
  readonly on: Interface
  readonly method: string
  readonly path: string
  readonly id: string
  /** `1:22`; null: an endpoint of service-decisions.md. */
  readonly number: string | null
  readonly summary: string
  /** null: any token will do. */
  readonly scope: string | null
  readonly hasBody: boolean
}

type Document = {
  paths: Record<string, Record<string, Described>>
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly requestBody?: object
  readonly security: readonly { readonly oauth?: readonly string[] }[]
}

/** The operations of all interfaces, as their OpenAPI documents have them. */
export async function operationsOf(running: RunningSimulator): Promise<Operation[]> {
  const documents = await Promise.all(
    INTERFACES.map(async (on) => ({
      on,
      document: (await running.askRaw(`${running.baseOf(on)}/openapi.json`, {})).json as Document,
    })),
  )
  return documents.flatMap(({ on, document }) =>
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId, summary, description, requestBody, security }]) => ({
        on,
        method: method.toUpperCase(),
        path,
        id: operationId,
        summary,
        scope: security[0]?.oauth?.[0] ?? null,
        hasBody: requestBody !== undefined,
        number:
          /^Document ([12]), endpoint (\d+)\.$/
            .exec(description ?? '')
            ?.slice(1)
            .join(':') ?? null,
      })),
    ),
  )
}
