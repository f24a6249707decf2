import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

export const TEAM_CLIENT = 'portaria-pages'
export const TEAM_SECRET = 'client-secret-of-the-pages-0123456789'

export interface Account {
  readonly sub: string
  readonly claims: Record<string, unknown>
}

export interface TestProvider {
  readonly issuer: string
  /** Who signs in next, without a question. */
  account: Account
  /** Who has signed in. One that is removed has its refresh tokens refused. */
  readonly accounts: Map<string, Account>
  /** Seconds between two polls of a device. */
  interval: number
  /** Whether it issues refresh tokens. */
  refreshes: boolean
  /** Method and path of every request. */
  readonly requests: string[]
  /** Answers instead of the provider where it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Id of the session at the provider in which the last person signed in. */
  sid: string
  /** A token with the provider's key. */
  sign(claims: Record<string, unknown>, header?: Record<string, string>): Promise<string>
  /** The same provider with other keys. */
  rotateKeys(): Promise<void>
  /** The provider tells the gateway that a person signed out there. */
  logout(): Promise<void>
  /** What the person does with the code of a device, in a browser. @param address with the code */
  answerDevice(address: string, choice?: 'confirm' | 'abort'): Promise<void>
  /** Follows what a browser does at the provider. @returns the address of the callback */
  signIn(authorization: string): Promise<URL>
  stop(): Promise<void>
}

interface Options {
  /** Folder with `server.crt`, `server.key` and their authority. */
  readonly certs: string
  readonly port?: number
  /** Origin of the pages. */
  readonly gateway: string
  readonly changes?: Partial<Configuration>
}

/** A certified OpenID provider, `oidc-provider`, over TLS with a certificate of a private CA. Interactions are answered at once, as `account`. */
export async function startOidcProvider({ certs, port = 0, gateway, changes = {} }: Options): Promise<TestProvider> {
  const tls = {
    cert: readFileSync(join(certs, 'server.crt')),
    key: readFileSync(join(certs, 'server.key')),
  }
  const ca = readFileSync(join(certs, 'server-ca.crt'))
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined
  const requests: string[] = []
  const server = createServer(tls, (request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    if (test.intercept?.(request, response) !== true) void handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  let provider: Provider
  let key: CryptoKey

  async function start(): Promise<void> {
    key = (await generateKeyPair('RS256', { extractable: true })).privateKey
    provider = new Provider(issuer, configurationOf({ gateway, key: await exportJWK(key), test, changes }))
    // By itself it names none, which means 5 s (RFC 8628, section 3.2).
    provider.use(async (context, next) => {
      await next()
      if (context.path === '/device/auth') Object.assign(Object(context.body), { interval: test.interval })
    })
    provider.on('authorization.success', ({ oidc }) => {
      test.sid = oidc.session?.sidFor(TEAM_CLIENT) ?? ''
    })
    const callback = provider.callback()
    handle = async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response)
      return provider.interactionFinished(request, response, { login: { accountId: test.account.sub } })
    }
  }

  const test: TestProvider = {
    issuer,
    account: { sub: 'ana', claims: { name: 'Ana Lima', groups: ['support'] } },
    accounts: new Map(),
    interval: 1,
    refreshes: true,
    requests,
    intercept: undefined,
    rotateKeys: start,
    sid: '',
    sign: (claims, header = {}) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(key),
    async logout() {
      const client = (await provider.Client.find(TEAM_CLIENT)) as unknown as Notified
      await client.backchannelLogout(test.account.sub, test.sid)
    },
    async signIn(authorization) {
      test.accounts.set(test.account.sub, test.account)
      const cookies = new Map<string, string>()
      let next = new URL(authorization)
      for (let step = 0; step < 6 && next.origin === issuer; step++) next = await follow(next, cookies, ca)
      return next
    },
    async answerDevice(address, choice = 'confirm') {
      test.accounts.set(test.account.sub, test.account)
      const browser = { cookies: new Map<string, string>(), ca }
      const { body } = await visit(new URL(address), browser)
      const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? ''
      const form = new URLSearchParams({ xsrf: hidden('xsrf'), user_code: hidden('user_code'), [choice]: 'yes' })
      let { location } = await visit(new URL(`${issuer}/device`), browser, form.toString())
      while (location !== null) ({ location } = await visit(location, browser))
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  await start()
  return test
}

/** What the types of the package leave out. */
interface Notified {
  backchannelLogout(sub: string, sid: string): Promise<void>
}

function configurationOf({
  gateway,
  key,
  test,
  changes,
}: {
  readonly gateway: string
  readonly key: JWK
  readonly test: TestProvider
  readonly changes: Partial<Configuration>
}): Configuration {
  return {
    clients: [
      {
        client_id: TEAM_CLIENT,
        client_secret: TEAM_SECRET,
        redirect_uris: [`${gateway}/ui/oidc/callback`],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: ['code'],
        backchannel_logout_uri: `${gateway}/ui/oidc/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...key, use: 'sig' }] },
    cookies: { keys: ['cookie-key-of-tests'] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 3600, Grant: 3600, AccessToken: 600, IdToken: 600, RefreshToken: 3600 },
    scopes: ['openid', 'profile', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name', 'groups', 'realm'] },
    conformIdTokenClaims: false,
    issueRefreshToken: async () => test.refreshes,
    rotateRefreshToken: true,
    findAccount(_context, sub) {
      const account = test.accounts.get(sub)
      return account && { accountId: sub, claims: async () => ({ sub, ...account.claims }) }
    },
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc as unknown as {
        client: { clientId: string }
        session: { accountId: string }
        provider: Provider
      }
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid profile offline_access')
      await grant.save()
      return grant
    },
    // The package refuses loopback addresses by its own dispatcher.
    fetch: (url, options) => globalThis.fetch(url, { ...options, dispatcher: undefined } as unknown as RequestInit),
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ...changes,
  }
}

interface Browser {
  readonly cookies: Map<string, string>
  readonly ca: Buffer
}

/** One request of a browser, and where the answer leads. */
async function follow(address: URL, cookies: Map<string, string>, ca: Buffer): Promise<URL> {
  const { status, location } = await visit(address, { cookies, ca })
  if (location === null) throw new Error(`${address} was answered ${status} without a location`)
  return location
}

/** @param form of a POST */
function visit(address: URL, { cookies, ca }: Browser, form?: string) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const method = form === undefined ? 'GET' : 'POST'
  return new Promise<{ status: number | undefined; body: string; location: URL | null }>((resolve, reject) => {
    const request = httpsRequest(address, { ca, method, headers: { cookie, ...type } }, (response) => {
      for (const line of response.headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = (line.split(';')[0] as string).split('=')
        cookies.set(name, value)
      }
      const { location } = response.headers
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          body: Buffer.concat(chunks).toString(),
          location: location === undefined ? null : new URL(location, address),
        }),
      )
    })
    request.on('error', reject)
    request.end(form)
  })
}
