import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { readAuthorities, readCaller, readOptionText } from '../caller-files.ts'
import { wrongUsage } from '../output.ts'
import type { RemoteOptions } from './chosen.ts'
import { type Profile, readProfile } from './profiles.ts'

/** The API of a gateway of another machine. */
export interface RemoteGateway {
  /** Its base address, without a slash at the end. */
  readonly address: string
  /** The answer's JSON text, empty without one. @throws PortariaError of the API's problem, `store_unavailable` if it does not answer, and the reason of the signal */
  ask(request: RemoteRequest): Promise<string>
  /** Whether the credentials are good. @returns the scopes of a client; null: those of a fixed token are unknown @throws as `ask` */
  signIn(): Promise<string | null>
  /** Any body, as it came. @throws as `ask` */
  download(request: RemoteRequest): Promise<Buffer>
  close(): Promise<void>
}

export interface RemoteRequest {
  readonly method: string
  readonly target: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** An error of the API (RFC 9457), or of its token endpoint (RFC 6749 section 5.2). */
interface Problem {
  readonly code?: PortariaError['code']
  readonly detail?: string
  readonly errors?: readonly { readonly detail: string }[]
  readonly next?: string
  readonly error?: string
  readonly error_description?: string
}

const TIMEOUT_MS = 150_000

/** The gateway that options name. @throws as `profileOf` and `connectTo` */
export function connectToRemote(options: RemoteOptions): Promise<RemoteGateway> {
  const { profile } = options
  return connectTo(profileOf(options), profile === undefined ? '--api-' : `profile ${profile}: `)
}

/** @throws PortariaError `configuration_invalid` and `request_invalid` for options, profiles and files that cannot be used */
function profileOf({ profile, api, tokenFile, apiCa, apiCert, apiKey }: RemoteOptions): Profile {
  if (profile !== undefined) return readProfile(profile)
  if (tokenFile === undefined)
    throw wrongUsage(
      `--api needs --token-file with a bearer token, or save the credentials of a client with "${COMMAND} login URL"`,
    )
  return {
    api: baseOf(api ?? ''),
    credentials: { token: readToken('--token-file', tokenFile) },
    ca: apiCa ?? null,
    certificate: pairOf(apiCert, apiKey, '--api-cert and --api-key'),
  }
}

export function pairOf(cert: string | undefined, key: string | undefined, names: string): Profile['certificate'] {
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined) throw wrongUsage(`${names} belong together: give both`)
  return { cert, key }
}

/** @throws PortariaError `request_invalid` */
export function readToken(option: string, file: string): string {
  const token = (file === '-' ? readFileSync(0, 'utf8') : readOptionText(option, file)).trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw wrongUsage(`${option} ${file} must hold the secret alone, in visible characters of ASCII`)
}

/** @throws PortariaError `request_invalid` for an address to which a secret must not be sent */
export function baseOf(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrongUsage(`"${text}" is no address of an API: give https://HOST:PORT`)
  if (url.username !== '' || url.password !== '') throw wrongUsage('the address holds a password: leave it out')
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw wrongUsage(`${url.origin} has no TLS, and the token would cross the network readable: give an https address`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Loaded on demand, with undici. @param names of the files in errors, before `ca`, `cert` and `key` */
export async function connectTo({ api, credentials, ca, certificate }: Profile, names: string): Promise<RemoteGateway> {
  const { Agent, request } = await import('undici')
  const pair = certificate === null ? null : readCaller(certificate.cert, certificate.key, names)
  const dispatcher = new Agent({
    connect: {
      ...(ca !== null && { ca: [...rootCertificates, ...readAuthorities(ca, `${names}ca`)] }),
      ...(pair !== null && { cert: pair.certificate, key: pair.privateKey }),
    },
  })
  let token = 'token' in credentials ? credentials.token : null

  async function exchange(path: string, { method, body, signal }: Exchange, authorization: string | null) {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const headers = {
      ...(text !== undefined && { 'content-type': typeof body === 'string' ? FORM : 'application/json' }),
      ...(authorization !== null && { authorization }),
    }
    try {
      const limits = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, ...(signal !== undefined && { signal }) }
      const sent = {
        dispatcher,
        method: method as 'GET',
        headers,
        ...(text !== undefined && { body: text }),
        ...limits,
      }
      const answer = await request(`${api}${path}`, sent)
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      return { status: answer.statusCode, bytes }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw unreachable(api, pair !== null, error)
    }
  }

  /** Of the client credentials. A token ends after an hour, or with the secret. */
  async function tokenOf({ clientId, clientSecret }: { clientId: string; clientSecret: string }, signal?: AbortSignal) {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const { status, bytes } = await exchange('/oauth/token', { method: 'POST', body: form.toString(), signal }, null)
    return settled<{ access_token: string; scope?: string }>(api, status, bytes)
  }

  async function bytes({ target, ...sent }: RemoteRequest) {
    for (let isAgain = false; ; isAgain = true) {
      if (token === null && 'clientId' in credentials) token = (await tokenOf(credentials, sent.signal)).access_token
      const answer = await exchange(target, sent, `Bearer ${token}`)
      const isOld = answer.status === 401 && 'clientId' in credentials && !isAgain
      if (!isOld) return answer
      token = null
    }
  }

  async function signIn(): Promise<string | null> {
    if ('clientId' in credentials) return (await tokenOf(credentials)).scope ?? null
    const { status, bytes: body } = await bytes({ method: 'GET', target: '/v1/consumers?limit=1' })
    // A token without this scope is a good one.
    if (status !== 403) settled(api, status, body)
    return null
  }

  return {
    address: api,
    signIn,
    async ask(sent) {
      const { status, bytes: body } = await bytes(sent)
      settled(api, status, body)
      return body.toString()
    },
    async download(sent) {
      const { status, bytes: body } = await bytes(sent)
      if (status >= 300) settled(api, status, body)
      return body
    },
    close: () => dispatcher.destroy(),
  }
}

const FORM = 'application/x-www-form-urlencoded'

interface Exchange {
  readonly method: string
  /** A text is a form. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** @throws PortariaError of a problem, and for an answer that is none of a gateway */
function settled<T>(api: string, status: number, bytes: Buffer): T {
  const json = jsonIn(bytes)
  if (status < 300 && (json !== undefined || bytes.length === 0)) return json as T
  const { code, detail, errors = [], next, error, error_description: words } = (json ?? {}) as Problem
  if (error !== undefined) throw new PortariaError('unauthorized', `${api} gives no token: ${words ?? error}`)
  if (code === undefined || detail === undefined)
    throw new PortariaError(
      'store_unavailable',
      `${api} answers HTTP ${status}, and not as a gateway does: check the address`,
    )
  const details = errors.map((one) => one.detail)
  throw new PortariaError(code, detail, next === undefined ? { details } : { details, next })
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

function unreachable(api: string, hasCertificate: boolean, error: unknown): PortariaError {
  const words = error instanceof Error && 'syscall' in error ? systemWords(error) : messageOf(error)
  const text = `no gateway answers at ${api}: ${words}${adviceFor(api, hasCertificate, error)}`
  return new PortariaError('store_unavailable', text, { cause: error })
}

/** A gateway closes a connection without the client certificate that it requires, and says nothing. */
function adviceFor(api: string, hasCertificate: boolean, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!api.startsWith('https:')) return ''
  if (UNTRUSTED.test(code)) return '; name the authorities of its certificate (--api-ca, or --ca of login)'
  if (!CLOSED.test(code)) return ''
  return hasCertificate
    ? '; perhaps it refuses this client certificate: its issuer must be in api.clientCa of the gateway'
    : '; perhaps it wants a client certificate (--api-cert and --api-key, or --cert and --key of login)'
}

const UNTRUSTED = /ISSUER|SELF_SIGNED|VERIFY|ALTNAME|CERT_HAS_EXPIRED|CERT_UNTRUSTED/
const CLOSED = /UND_ERR_SOCKET|ECONNRESET|EPIPE|ALERT/
