import { messageOf } from '../platform/errors.ts'
import { Pool } from '../platform/http-pool.ts'
import { isLoopback } from '../platform/loopback.ts'
import { proxyNote } from '../platform/proxy-variables.ts'
import { alertWords } from '../platform/tls-alerts.ts'
import { type ExchangeRequest, exchange } from '../service/exchange.ts'

/** No answer of the provider, or one with a status from 500 on, or 429: it refuses nothing by that. */
export class ProviderUnreachable extends Error {}

/** As the Fetch standard has it, as far as OAuth libraries use it. */
export type ProviderFetch = (url: string, options: FetchOptions) => Promise<Response>

interface FetchOptions {
  readonly method: string
  readonly headers: ConstructorParameters<typeof Headers>[0]
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** For a whole request. With the pause between two checks of a session it stays below the 60 s that end one. */
const TIMEOUT_MS = 10_000
const LONGEST_ANSWER = 1024 * 1024
/** Metadata of a provider names few hosts. */
const MOST_ORIGINS = 8

/** Requests over TLS alone, without redirects. @param authorities PEM; null: the public ones */
export function createProviderFetch(authorities: string | null): { send: ProviderFetch; close(): Promise<void> } {
  const pools = new Map<string, Pool>()

  function poolOf(origin: string): Pool {
    const known = pools.get(origin)
    if (known !== undefined) return known
    if (pools.size >= MOST_ORIGINS) throw new Error(`the provider's addresses name more than ${MOST_ORIGINS} hosts`)
    const connect = { timeout: TIMEOUT_MS, ...(authorities !== null && { ca: authorities }) }
    const pool = new Pool(origin, { connect, connections: 8, pipelining: 1, allowH2: false })
    pools.set(origin, pool)
    return pool
  }

  return {
    async send(url, { method, headers, body, signal }) {
      const { protocol, origin, hostname, pathname, search } = new URL(url)
      if (protocol !== 'https:') throw new Error('the provider names an address without TLS')
      const limit = AbortSignal.timeout(TIMEOUT_MS)
      const request: ExchangeRequest = {
        method: method === 'POST' ? 'POST' : 'GET',
        path: pathname + search,
        headers: Object.fromEntries(new Headers(headers)),
        body: body === undefined || body === null ? null : String(body),
      }
      const signals = signal ? AbortSignal.any([signal, limit]) : limit
      const answer = await answerOf(poolOf(origin), request, signals).catch((error: unknown) => {
        throw new ProviderUnreachable(`${reasonOf(error)}${isLoopback(hostname) ? '' : proxyNote()}`, { cause: error })
      })
      if (answer.status >= 500 || answer.status === 429)
        throw new ProviderUnreachable(`${origin} answered HTTP ${answer.status}`)
      return answer
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

async function answerOf(pool: Pool, request: ExchangeRequest, signal: AbortSignal): Promise<Response> {
  const limits = { signal, answerBytes: LONGEST_ANSWER, keepsBody: () => true, onBegan: () => undefined }
  const { status, headers, body } = await exchange(pool, request, limits)
  const pairs = Object.entries(headers)
    .filter(([name]) => name !== 'www-authenticate' || !namesError(body))
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]))
  // These have no body (Fetch standard, "null body status").
  return new Response([204, 205, 304].includes(status) ? null : Buffer.from(body), {
    status,
    headers: pairs as [string, string][],
  })
}

/** As RFC 6749 has it (section 5.2). Libraries read the challenge beside it, which says no reason, and not the body. */
function namesError(body: Uint8Array): boolean {
  try {
    return typeof Object(JSON.parse(Buffer.from(body).toString('utf8'))).error === 'string'
  } catch {
    return false
  }
}

function reasonOf(error: unknown): string {
  const alert = alertWords(error)
  if (alert !== null) return alert
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `${messageOf(error)}${code}`
}
