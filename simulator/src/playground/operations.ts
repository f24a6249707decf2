import { type Agent, request } from 'undici'
import {
  type DescribedOperation,
  describedOperations,
  type OpenApiDocument,
} from '../documents/described-operations.ts'
import { type Environment, INTERFACES, type Interface } from '../interfaces.ts'

/** One endpoint, as the OpenAPI document of its interface describes it. */
export interface Operation extends DescribedOperation {
  readonly on: Interface
  /** `1:22`; null: an endpoint of service-decisions.md, or a token endpoint. */
  readonly number: string | null
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
      return describedOperations((await body.json()) as OpenApiDocument).map((one) => ({
        ...one,
        on,
        number: numberOf(one),
      }))
    }),
  )
  return all.flat().toSorted((one, other) => rankOf(one) - rankOf(other))
}

function numberOf({ description }: DescribedOperation): string | null {
  const [, document, number] = /^Document ([12]), endpoint (\d+)\.$/.exec(description) ?? []
  return document === undefined ? null : `${document}:${number}`
}

function rankOf({ number, id }: Operation): number {
  if (number === null) return id === TOKEN ? 3000 : 2500
  const [document, endpoint] = number.split(':').map(Number) as [number, number]
  return document * 1000 + endpoint
}
