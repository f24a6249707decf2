import { readFileSync } from 'node:fs'
import { COMMAND } from '../../platform/installation.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { say } from '../../platform/said.ts'
import { readOptionText } from '../option-files.ts'
import { wrongUsage } from '../output.ts'
import type { RemoteOptions } from './chosen.ts'
import { type ClientCredentials, type Profile, readProfile } from './profiles.ts'
import { openTransport, settled, type Transport } from './transport.ts'

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

/** The gateway that options name. @throws as `profileOf` and `connectTo` */
export function connectToRemote(options: RemoteOptions): Promise<RemoteGateway> {
  const { profile } = options
  return connectTo(profileOf(options), profile === undefined ? '--api-' : `profile ${profile}: `, profile ?? null)
}

/** @throws PortariaError `configuration_invalid` and `request_invalid` for options, profiles and files that cannot be used */
function profileOf({ profile, api, tokenFile, apiCa, apiCert, apiKey }: RemoteOptions): Profile {
  if (profile !== undefined) return readProfile(profile)
  if (tokenFile === undefined)
    throw wrongUsage(
      say`--api needs --token-file with a bearer token, or save the credentials of a client with "${{ command: COMMAND }} login URL"`,
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
  if (cert === undefined || key === undefined) throw wrongUsage(say`${{ names }} belong together: give both`)
  return { cert, key }
}

/** @throws PortariaError `request_invalid` */
export function readToken(option: string, file: string): string {
  const token = (file === '-' ? readFileSync(0, 'utf8') : readOptionText(option, file)).trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw wrongUsage(say`${{ option }} ${{ file }} must hold the secret alone, in visible characters of ASCII`)
}

/** @throws PortariaError `request_invalid` for an address to which a secret must not be sent */
export function baseOf(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrongUsage(say`"${{ text }}" is no address of an API: give https://HOST:PORT`)
  if (url.username !== '' || url.password !== '') throw wrongUsage(say`the address holds a password: leave it out`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw wrongUsage(
      say`${{ origin: url.origin }} has no TLS, and the token would cross the network readable: give an https address`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Loaded on demand, with undici. @param names of the files in errors, before `ca`, `cert` and `key` @param name of the profile, which a session is saved to */
export async function connectTo(profile: Profile, names: string, name: string | null = null): Promise<RemoteGateway> {
  const { api, credentials } = profile
  const transport = await openTransport(profile, names)
  const tokens = await tokensOf(credentials, { api, name, exchange: transport.exchange })

  async function bytes({ target, ...sent }: RemoteRequest) {
    let token = await tokens.current(sent.signal)
    for (let isAgain = false; ; isAgain = true) {
      const answer = await transport.exchange(target, sent, `Bearer ${token}`)
      const renewed = answer.status === 401 && !isAgain ? await tokens.after(token, sent.signal) : null
      if (renewed === null) return answer
      token = renewed
    }
  }

  return {
    address: api,
    async signIn() {
      if ('clientId' in credentials) return (await clientToken(credentials, { api, ...transport })).scope ?? null
      const { status, bytes: body } = await bytes({ method: 'GET', target: '/v1/consumers?limit=1' })
      // A token without this scope is a good one.
      if (status !== 403) settled(api, status, body)
      return null
    },
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
    close: transport.close,
  }
}

interface Issuing {
  readonly api: string
  readonly exchange: Transport['exchange']
}

interface Tokens {
  current(signal?: AbortSignal): Promise<string>
  /** In place of one that was refused; null: there is no other. */
  after(refused: string, signal?: AbortSignal): Promise<string | null>
}

async function tokensOf(
  credentials: Profile['credentials'],
  issuing: Issuing & { readonly name: string | null },
): Promise<Tokens> {
  if ('token' in credentials) return { current: async () => credentials.token, after: async () => null }
  if ('session' in credentials) {
    const { createSession } = await import('./session.ts')
    return createSession(credentials.session, issuing)
  }
  let token: string | null = null
  const issued = async (signal?: AbortSignal) => {
    token = (await clientToken(credentials, issuing, signal)).access_token
    return token
  }
  return { current: async (signal) => token ?? issued(signal), after: (_refused, signal) => issued(signal) }
}

/** A token ends after an hour, or with the secret. */
async function clientToken(
  { clientId, clientSecret }: ClientCredentials,
  { api, exchange }: Issuing,
  signal?: AbortSignal,
): Promise<{ access_token: string; scope?: string }> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const { status, bytes } = await exchange('/oauth/token', { method: 'POST', body: form.toString(), signal }, null)
  return settled(api, status, bytes)
}
