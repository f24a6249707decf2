import { request } from 'undici'
import { messageOf } from '../errors.ts'
import { readBounded } from '../http/bounded-body.ts'
import { type Interface, requiresCertificate, TOKEN_PATHS } from '../interfaces.ts'
import { type Operation, TOKEN } from './operations.ts'
import type { Caller, Surroundings } from './surroundings.ts'

/** The values of a form. */
export interface Filled {
  /** Segments of the path by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** undefined: no body. */
  readonly body: unknown
}

export interface Exchange {
  /** null: no answer came. */
  readonly answer: Answer | null
  /** Why none came. */
  readonly failure: string | null
  readonly durationMs: number
}

export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
}

const TIMEOUT_MS = 60_000
/** An answer is shown, so it need not be larger. */
const LARGEST_ANSWER = 2_000_000

/** Path and query of a request. */
export function targetOf({ path }: Operation, { params, query }: Filled): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams({ ...query })
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** Sends requests in the name of callers, over the real port, and keeps their tokens until they end. */
export function createCalls(surroundings: Surroundings) {
  const tokens = new Map<string, string>()

  async function exchange(caller: Caller, on: Interface, operation: Operation, filled: Filled, authorization: string) {
    const { environment, files } = caller
    const startedAt = performance.now()
    const duration = () => Math.round(performance.now() - startedAt)
    try {
      const { statusCode, headers, body } = await request(
        `${surroundings.baseOf(environment, on)}${targetOf(operation, filled)}`,
        {
          method: operation.method as 'GET',
          dispatcher: surroundings.agent(environment, requiresCertificate(on) ? files : null),
          headers: { authorization, ...(filled.body !== undefined && { 'content-type': 'application/json' }) },
          ...(filled.body !== undefined && { body: JSON.stringify(filled.body) }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
      )
      const text = (await readBounded(body)).slice(0, LARGEST_ANSWER)
      const listed = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)] as const),
      )
      return { answer: { status: statusCode, headers: listed, text }, failure: null, durationMs: duration() }
    } catch (error) {
      return { answer: null, failure: messageOf(error), durationMs: duration() }
    }
  }

  async function tokenOf(caller: Caller, on: Interface): Promise<string | Exchange> {
    const kept = tokens.get(keyOf(caller, on))
    if (kept !== undefined) return kept
    const made = await exchange(caller, on, tokenOperation(on), TOKEN_REQUEST, basicOf(caller))
    const token = made.answer?.status === 200 ? tokenIn(made.answer.text) : undefined
    if (token === undefined) return made
    tokens.set(keyOf(caller, on), token)
    return token
  }

  return {
    /** Fetches a token where none is kept, and a new one where the kept one is refused. What the token endpoint answers instead is the answer. */
    async send(caller: Caller, operation: Operation, filled: Filled): Promise<Exchange> {
      const { on } = operation
      if (operation.id === TOKEN) return exchange(caller, on, operation, filled, basicOf(caller))
      const isKept = tokens.has(keyOf(caller, on))
      const token = await tokenOf(caller, on)
      if (typeof token !== 'string') return token
      const made = await exchange(caller, on, operation, filled, `Bearer ${token}`)
      if (made.answer?.status !== 401) return made
      tokens.delete(keyOf(caller, on))
      return isKept ? this.send(caller, operation, filled) : made
    },
  }
}

export type Calls = ReturnType<typeof createCalls>

const TOKEN_REQUEST: Filled = { params: {}, query: {}, body: { grant_type: 'client_credentials' } }

function tokenOperation(on: Interface): Operation {
  const none = { number: null, summary: '', description: '', parameters: [], body: null, answers: [] }
  return { on, id: TOKEN, method: 'POST', path: TOKEN_PATHS[on], ...none }
}

function keyOf({ environment, application }: Caller, on: Interface): string {
  return `${environment} ${on} ${application.clientId}`
}

function basicOf({ application: { clientId, clientSecret } }: Caller): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
}

function tokenIn(text: string): string | undefined {
  const token = memberIn(text, 'access_token')
  return typeof token === 'string' ? token : undefined
}

/** Undefined where a fault broke the body, too. */
export function memberIn(text: string, name: string): unknown {
  try {
    return (JSON.parse(text) as Readonly<Record<string, unknown>> | null)?.[name]
  } catch {
    return undefined
  }
}
