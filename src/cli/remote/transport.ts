import { rootCertificates } from 'node:tls'
import { readBounded } from '../../platform/bounded-body.ts'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { proxyNote } from '../../platform/proxy-variables.ts'
import type { Written } from '../../platform/said.ts'
import { alertWords } from '../../platform/tls-alerts.ts'
import { hostOf } from '../../platform/url-host.ts'
import type { Profile } from './profiles.ts'

/** Requests to the API of a gateway of another machine. */
export interface Transport {
  /** @throws PortariaError `store_unavailable` if it does not answer, and the reason of the signal */
  exchange(path: string, exchange: Exchange, authorization: string | null): Promise<Answer>
  close(): Promise<void>
}

export interface Exchange {
  readonly method: string
  /** A text is a form. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** Default: as long as a request may wait for events. */
  readonly timeoutMs?: number
}

export interface Answer {
  readonly status: number
  readonly bytes: Buffer
}

/** An error of the API (RFC 9457), or of its token endpoint (RFC 6749 section 5.2). */
export interface Problem extends Partial<Written> {
  readonly code?: PortariaError['code']
  readonly detail?: string
  readonly errors?: readonly { readonly detail: string }[]
  readonly next?: string
  readonly error?: string
  readonly error_description?: string
}

const TIMEOUT_MS = 150_000

/** Loads undici. @param names of the files in errors, before `ca`, `cert` and `key` */
export async function openTransport(
  { api, ca, certificate }: Pick<Profile, 'api' | 'ca' | 'certificate'>,
  names: string,
): Promise<Transport> {
  const { Agent, request } = await import('undici')
  const files = ca === null && certificate === null ? null : await import('../caller-files.ts')
  const pair = files && certificate && files.readCaller(certificate.cert, certificate.key, names)
  const authorities = files && ca && files.readAuthorities(ca, `${names}ca`)
  const dispatcher = new Agent({
    connect: {
      ...(authorities && { ca: [...rootCertificates, ...authorities] }),
      ...(pair && { cert: pair.certificate, key: pair.privateKey }),
    },
  })
  return {
    async exchange(path, { method, body, signal, timeoutMs = TIMEOUT_MS }, authorization) {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      const headers = {
        ...(text !== undefined && { 'content-type': typeof body === 'string' ? FORM : 'application/json' }),
        ...(authorization !== null && { authorization }),
      }
      try {
        const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, ...(signal !== undefined && { signal }) }
        const sent = {
          dispatcher,
          method: method as 'GET',
          headers,
          ...(text !== undefined && { body: text }),
          ...limits,
        }
        const answer = await request(`${api}${path}`, sent)
        return { status: answer.statusCode, bytes: await readBounded(answer.body) }
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        throw unreachable(api, pair !== null, error)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

const FORM = 'application/x-www-form-urlencoded'

/** @throws PortariaError of a problem, and for an answer that is none of a gateway */
export function settled<T>(api: string, status: number, bytes: Buffer): T {
  const json = jsonIn(bytes)
  if (status < 300 && (json !== undefined || bytes.length === 0)) return json as T
  const {
    code,
    detail,
    template,
    values = {},
    errors = [],
    next,
    error,
    error_description: words,
  } = (json ?? {}) as Problem
  if (error !== undefined)
    throw new PortariaError(
      error === 'temporarily_unavailable' ? 'store_unavailable' : 'unauthorized',
      `${api} gives no token: ${words ?? error}`,
    )
  if (code === undefined || detail === undefined) throw notAGateway(api, status)
  const details = errors.map((one) => one.detail)
  const message = template === undefined ? detail : { template, values }
  throw new PortariaError(code, message, next === undefined ? { details } : { details, next })
}

export function notAGateway(api: string, status: number): PortariaError {
  const text = `${api} answers HTTP ${status}, and not as a gateway does: check the address`
  return new PortariaError('store_unavailable', text)
}

export function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

function unreachable(api: string, hasCertificate: boolean, error: unknown): PortariaError {
  const system = error instanceof Error && 'syscall' in error ? systemWords(error) : messageOf(error)
  const words = alertWords(error) ?? system
  const text = `no gateway answers at ${api}: ${words}${adviceFor(api, hasCertificate, error)}`
  return new PortariaError('store_unavailable', text, { cause: error })
}

/** A gateway closes a connection without the client certificate that it requires, and says nothing. */
function adviceFor(api: string, hasCertificate: boolean, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const proxy = isLoopback(hostOf(new URL(api))) ? '' : proxyNote()
  if (proxy !== '' && !UNTRUSTED.test(code)) return proxy
  if (!api.startsWith('https:')) return ''
  if (UNTRUSTED.test(code)) return '; name the authorities of its certificate (--api-ca, or --ca of login)'
  if (!CLOSED.test(code)) return ''
  return hasCertificate
    ? '; perhaps it refuses this client certificate: its issuer must be in api.clientCa of the gateway'
    : '; perhaps it wants a client certificate (--api-cert and --api-key, or --cert and --key of login)'
}

const UNTRUSTED = /ISSUER|SELF_SIGNED|VERIFY|ALTNAME|CERT_HAS_EXPIRED|CERT_UNTRUSTED/
const CLOSED = /UND_ERR_SOCKET|ECONNRESET|EPIPE|ALERT/
