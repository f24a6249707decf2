/** How a command asks an operation by its contract. */

import type { AnswerOf, Contract, GivenQueryOf, SegmentsOf } from '../api/http/contract.ts'
import type { ApiCall } from './control-client.ts'

export type QueryValue = string | number | boolean | readonly string[] | undefined

/** What an operation gets; what is undefined in the query is left out. */
export interface Input<C extends Contract> {
  readonly segments?: SegmentsOf<C>
  readonly query?: { readonly [Name in keyof GivenQueryOf<C>]?: QueryValue }
  readonly body?: unknown
}

export interface Asker {
  /** The JSON of the answer, the same wherever the operation runs. @throws PortariaError of its problem */
  ask<C extends Contract>(contract: C, input?: Input<C>): Promise<AnswerOf<C>>
}

export interface Caller extends Asker {
  /** Base address of the API of another machine; null: the database of this one. */
  readonly address: string | null
  /** The answer as it came: numbers as they were written. @throws as `ask`, and the reason of the signal */
  bytes<C extends Contract>(contract: C, input?: Input<C>, signal?: AbortSignal): Promise<Buffer>
}

export function askerOver(call: ApiCall): Asker {
  return {
    ask: ({ method, path }, { body, ...input } = {}) => call(method.toUpperCase(), targetOf(path, input), body),
  }
}

export function callerOf(address: Caller['address'], bytes: Caller['bytes']): Caller {
  return { address, bytes, ask: async (contract, input) => JSON.parse((await bytes(contract, input)).toString()) }
}

/** Path and query, percent-encoded. */
export function targetOf(
  path: string,
  { segments = {}, query = {} }: { readonly segments?: unknown; readonly query?: Parameters<typeof queryOf>[0] },
): string {
  const named = segments as Readonly<Record<string, string>>
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(named[name] ?? ''))
  const given = queryOf(query).toString()
  return given === '' ? filled : `${filled}?${given}`
}

/** With the members that are given. */
export function queryOf(members: Readonly<Record<string, QueryValue>>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) for (const one of [value].flat()) query.append(name, String(one))
  return query
}
