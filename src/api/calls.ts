/** Calls of operations inside the process: by the pages, and by commands while no gateway runs. */

import type { Principal } from '../domain/client.ts'
import type { ScopeNames } from '../domain/scopes.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { say } from '../platform/said.ts'
import type { BoundedAnswers } from './answers/bounded-answers.ts'
import { requireAccess } from './auth/authentication.ts'
import type { Reply, TypedEndpoint } from './http/endpoint.ts'
import { type Operation, takesTurn } from './http/operation.ts'
import { logFailure, problemOf } from './http/problem.ts'
import { queryOf } from './http/query.ts'
import type { Endpoints } from './operations.ts'

export interface Asker {
  readonly principal: Principal
  /** For the log. */
  readonly requestId: string
}

type InputValue = string | number | boolean | readonly string[] | null | undefined

/** What an operation gets: values of a query as text, without those that are null or empty. */
export interface Input<Query = Readonly<Record<string, unknown>>> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: { readonly [Name in keyof Query | 'reason']?: InputValue }
  readonly body?: unknown
}

export interface Answer<Json = unknown> {
  readonly status: number
  /** From status 400 on a problem (RFC 9457). */
  readonly json: Json
  /** The JSON text as it would be sent: `json` has numbers as doubles. */
  readonly text: string
  /** Of an answer that is no JSON. */
  readonly content?: Uint8Array
}

type QueryOf<E> = E extends TypedEndpoint<infer Query, unknown> ? Query : never
type JsonOf<E> = E extends TypedEndpoint<unknown, infer Json> ? Json : never

export interface Target {
  readonly method: string
  /** Path and query, percent-encoded. */
  readonly target: string
  readonly body: unknown
}

/** Asks an operation by its id. Errors are answers, as over HTTP. */
export type Ask = <Id extends keyof Endpoints>(
  id: Id,
  input?: Input<QueryOf<Endpoints[Id]>>,
) => Promise<Answer<JsonOf<Endpoints[Id]>>>

export interface Calls {
  readonly askAs: (asker: Asker) => Ask
  /** By method and target, as a command knows operations. */
  readonly askAt: (asker: Asker, request: Target) => Promise<Answer>
}

export function createCalls(
  operations: readonly Operation[],
  {
    scopeNames,
    answers,
    log,
  }: { readonly scopeNames: ScopeNames; readonly answers: Pick<BoundedAnswers, 'turnOf'>; readonly log: Log },
): Calls {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))

  async function ask(operation: Operation | undefined, { principal, requestId }: Asker, input: Input): Promise<Answer> {
    try {
      if (operation === undefined) throw new PortariaError('not_found', say`the gateway does not serve this`)
      const isReading = operation.method === 'get'
      requireAccess(operation.access, principal, scopeNames)
      const leave = takesTurn(operation) ? await answers.turnOf({ principal, isReading }) : () => undefined
      const { params = {}, query = {}, body } = input
      const call = { principal, isReading, params, query: textsOf(query), body, reason: null, http: null }
      try {
        return answerOf(await operation.perform(call))
      } finally {
        leave()
      }
    } catch (error) {
      const problem = problemOf(error, requestId)
      const at = { requestId, method: operation?.method ?? '', path: operation?.path ?? '' }
      if (problem.code === 'internal') logFailure(log, at, error)
      return { status: problem.status, json: problem, text: JSON.stringify(problem) }
    }
  }

  return {
    askAs: (asker) => (id, input) => ask(byId.get(id), asker, input ?? {}) as Promise<Answer<never>>,
    askAt(asker, { method, target, body }) {
      const [path = ''] = target.split('?')
      const at = operations.flatMap((operation) => {
        const params = operation.method === method.toLowerCase() ? paramsIn(operation.path, path) : null
        return params === null ? [] : [{ operation, params }]
      })[0]
      return ask(at?.operation, asker, { params: at?.params ?? {}, query: queryOf(target), body })
    },
  }
}

function textsOf(query: NonNullable<Input['query']>): Record<string, unknown> {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => [name, Array.isArray(value) ? value : String(value).toWellFormed()]),
  )
}

function answerOf({ status = 200, json, jsonText, content }: Reply): Answer {
  if (content !== undefined) return { status, json, text: '', content: Buffer.from(content) }
  if (jsonText === undefined) return { status, json, text: json === undefined ? '' : JSON.stringify(json) }
  const text = jsonText.toString()
  return { status, json: JSON.parse(text), text }
}

/** Segments by name; null: the path is another one. */
function paramsIn(pattern: string, path: string): Record<string, string> | null {
  const [expected, given] = [pattern.split('/'), path.split('/')]
  if (expected.length !== given.length) return null
  const pairs = expected.map((part, index) => [part, decodeURIComponent(given[index] ?? '')] as const)
  const isMeant = pairs.every(([part, value]) => (part.startsWith(':') ? value !== '' : part === value))
  return isMeant
    ? Object.fromEntries(pairs.flatMap(([part, value]) => (part.startsWith(':') ? [[part.slice(1), value]] : [])))
    : null
}
