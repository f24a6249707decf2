import * as oauth from 'oauth4webapi'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Issued } from '../../../src/api/clients/registry.ts'
import { until } from '../../support/until.ts'
import { ask, type RunningApi, startApi } from '../api.ts'

const NOON = Date.UTC(2026, 0, 15, 12)
const FORM = 'application/x-www-form-urlencoded'
const GRANT = 'grant_type=client_credentials'

let now = NOON
let api: RunningApi
let issued: Issued

beforeEach(async () => {
  now = NOON
  api = await startApi({ now: () => now })
  issued = await api.clients.create({
    name: 'shop',
    environment: 'sandbox',
    scopes: ['events.read', 'registration.webhook.write', 'payment.webhook.read'],
  })
})

interface TokenAnswer {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly error: string
  readonly error_description: string
}

interface Asked {
  readonly path?: string
  readonly type?: string | null
  readonly authorization?: string | null
  readonly localAddress?: string
}

function basic(id = issued.client.id, secret = issued.secret): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`
}

/** A token request by HTTP Basic. */
async function askToken(body: string | Uint8Array = GRANT, asked: Asked = {}) {
  const { path = '/oauth/token', type = FORM, authorization = basic(), ...rest } = asked
  const headers = type === null ? {} : { 'content-type': type }
  const answer = await ask(api, path, { ...rest, method: 'POST', body, authorization, headers })
  return { ...answer, answer: JSON.parse(answer.body) as TokenAnswer }
}

function asJson(body: unknown, asked: Asked = {}) {
  return askToken(JSON.stringify(body), { type: 'application/json', ...asked })
}

describe('a token', () => {
  it.each(['/oauth/token', '/registration/v1/oauth/token', '/payment/v1/oauth/token'])(
    'is given at %s, for all scopes of the client where none is named, and is not stored on its way',
    async (path) => {
      const { status, headers, answer } = await askToken(GRANT, { path })
      expect([status, headers['content-type'], headers['cache-control'], headers.pragma]).toEqual([
        200,
        'application/json; charset=utf-8',
        'no-store',
        'no-cache',
      ])
      expect(answer).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'events.read svc.registration.webhook.write payment.webhook.read',
      })
      const listed = await ask(api, '/v1/events', { authorization: `Bearer ${answer.access_token}` })
      expect(listed.status).toBe(200)
    },
  )

  it('is given below the charges interface, too, for 600 s', async () => {
    const { status, answer } = await askToken(GRANT, { path: '/charges/v1/authorize' })
    expect([status, answer.expires_in, answer.token_type]).toEqual([200, 600, 'Bearer'])
    const authorization = `Bearer ${answer.access_token}`
    now = NOON + 599_000
    expect((await ask(api, '/v1/events', { authorization })).status).toBe(200)
    now = NOON + 600_000
    expect((await ask(api, '/v1/events', { authorization })).status).toBe(401)
  })

  it('is given for credentials in a header or a body, in a form or in JSON', async () => {
    const { id } = issued.client
    const inForm = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: issued.secret,
    })
    const inJson = { grant_type: 'client_credentials', client_id: id, client_secret: issued.secret }
    const none = { authorization: null }
    const answers = await Promise.all([
      askToken(inForm.toString(), none),
      asJson(inJson, none),
      asJson({ grant_type: 'client_credentials', scope: null, unknown: { is: 'ignored' } }),
      askToken(`${GRANT}&client_id=${id}&scope=&resource=ignored`),
      askToken(GRANT, { authorization: basic().replace('Basic', 'bASIC') }),
      // Not form-urlencoded where nothing needs to be.
      askToken(GRANT, { authorization: `Basic ${Buffer.from(`${id}:${issued.secret}`).toString('base64')}` }),
      askToken(GRANT, {
        authorization: `Basic ${Buffer.from(`%63li${id.slice(3)}:${issued.secret}`).toString('base64')}`,
      }),
      askToken(GRANT, { type: 'application/x-www-form-urlencoded; charset=UTF-8' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it('has only those scopes that were asked for, each of which the client must have', async () => {
    const narrow = await askToken(`${GRANT}&scope=events.read+payment.webhook.read+events.read`)
    expect(narrow.answer.scope).toBe('events.read payment.webhook.read')
    const none = await askToken(`${GRANT}&scope=payment.webhook.read`)
    const refused = await ask(api, '/v1/events', { authorization: `Bearer ${none.answer.access_token}` })
    expect(refused.status).toBe(403)
  })

  it('counts for an hour', async () => {
    const authorization = `Bearer ${(await askToken()).answer.access_token}`
    now = NOON + 3_599_000
    expect((await ask(api, '/v1/events', { authorization })).status).toBe(200)
    now = NOON + 3_600_000
    const late = await ask(api, '/v1/events', { authorization })
    expect([late.status, late.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"'])
    expect(late.body).toContain('has expired')
  })

  it('that somebody else made, changed or took from elsewhere is none', async () => {
    const [header = '', payload = '', mac = ''] = (await askToken()).answer.access_token.split('.')
    const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const foreign = await startApi({ now: () => now })
    const other = await foreign.clients.create({ name: 'shop', environment: 'any', scopes: ['events.read'] })
    const there = await ask(foreign, '/oauth/token', {
      method: 'POST',
      authorization: basic(other.client.id, other.secret),
      headers: { 'content-type': FORM },
      body: GRANT,
    })
    const forged = [
      `${header}.${coded({ ...claims, scope: 'operations.write' })}.${mac}`,
      `${coded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${coded({ alg: 'HS256', typ: 'JWT' })}.${payload}.${mac}`,
      `${header}.${payload}.${mac.slice(0, -2)}`,
      `${header}.${payload}`,
      (JSON.parse(there.body) as TokenAnswer).access_token,
    ]
    // From an address each: behind five of them one would have to wait.
    for (const [index, token] of forged.entries()) {
      const from = { authorization: `Bearer ${token}`, localAddress: `127.0.0.${index + 2}` }
      expect((await ask(api, '/v1/events', from)).status).toBe(401)
    }
  })

  it('is given to a published OAuth client, by each way to authenticate', async () => {
    const base = `http://127.0.0.1:${api.port}`
    const server: oauth.AuthorizationServer = { issuer: base, token_endpoint: `${base}/oauth/token` }
    const client: oauth.Client = { client_id: issued.client.id }
    const insecure = { [oauth.allowInsecureRequests]: true }
    for (const authenticate of [oauth.ClientSecretBasic(issued.secret), oauth.ClientSecretPost(issued.secret)]) {
      const parameters = { scope: 'events.read' }
      const response = await oauth.clientCredentialsGrantRequest(server, client, authenticate, parameters, insecure)
      const token = await oauth.processClientCredentialsResponse(server, client, response)
      expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'events.read' })
      const url = new URL(`${base}/v1/events`)
      const listed = await oauth.protectedResourceRequest(token.access_token, 'GET', url, undefined, null, insecure)
      expect(await listed.json()).toMatchObject({ data: [] })
    }
    const wrong = oauth.ClientSecretBasic('wrong')
    const refused = await oauth.clientCredentialsGrantRequest(server, client, wrong, {}, insecure)
    // It reads the challenge of a 401 before the error.
    await expect(oauth.processClientCredentialsResponse(server, client, refused)).rejects.toMatchObject({
      cause: [{ scheme: 'basic', parameters: { realm: 'portaria' } }],
    })
  })
})

const JSON_TYPE = { type: 'application/json' }

const REFUSED: readonly [string, string, Asked, number, string][] = [
  ['without a body', '', {}, 400, 'invalid_request'],
  ['without a grant type', 'scope=events.read', {}, 400, 'invalid_request'],
  ['with an empty grant type', 'grant_type=', {}, 400, 'invalid_request'],
  ['with another grant type', 'grant_type=password', {}, 400, 'unsupported_grant_type'],
  ['with a parameter twice', `${GRANT}&${GRANT}`, {}, 400, 'invalid_request'],
  ['of another content type', GRANT, { type: 'text/plain' }, 400, 'invalid_request'],
  ['without a content type', GRANT, { type: null }, 400, 'invalid_request'],
  ['with JSON that is broken', '{', { type: 'application/json' }, 400, 'invalid_request'],
  ['with JSON that is no object', '[]', { type: 'application/json' }, 400, 'invalid_request'],
  ['with a scope that is a list', '{"grant_type":"client_credentials","scope":[]}', JSON_TYPE, 400, 'invalid_request'],
  ['with a scope that is a number', '{"grant_type":"client_credentials","scope":1}', JSON_TYPE, 400, 'invalid_request'],
  ['that is too long', `${GRANT}&x=${'x'.repeat(20_000)}`, {}, 413, 'invalid_request'],
  ['with credentials twice', `${GRANT}&client_secret=x`, {}, 400, 'invalid_request'],
  ['with another id beside the header', `${GRANT}&client_id=cli_0000000000`, {}, 400, 'invalid_request'],
  ['for an unknown scope', `${GRANT}&scope=events.read+everything`, {}, 400, 'invalid_scope'],
  ['for a scope that the client has not', `${GRANT}&scope=operations.write`, {}, 400, 'invalid_scope'],
  [
    'for a scope as the documents call it elsewhere',
    `${GRANT}&scope=registration.webhook.write`,
    {},
    400,
    'invalid_scope',
  ],
  ['for a scope that cannot be one', `${GRANT}&scope=%22`, {}, 400, 'invalid_scope'],
  ['without credentials', GRANT, { authorization: null }, 401, 'invalid_client'],
  ['with an id alone', `${GRANT}&client_id=cli_0000000000`, { authorization: null }, 401, 'invalid_client'],
  ['with a bearer token', GRANT, { authorization: 'Bearer x' }, 401, 'invalid_client'],
  ['with a header that is not Basic', GRANT, { authorization: 'Basic !' }, 401, 'invalid_client'],
  ['with Basic that cannot be decoded', GRANT, { authorization: `Basic ${btoa('cli_0:%zz')}` }, 401, 'invalid_client'],
  ['with Basic without a colon', GRANT, { authorization: `Basic ${btoa('cli_0')}` }, 401, 'invalid_client'],
  ['by an unknown client', GRANT, { authorization: `Basic ${btoa('cli_0000000000:x')}` }, 401, 'invalid_client'],
]

describe('a token request is refused', () => {
  it('in the words of RFC 6749, whatever is wrong with it', async () => {
    for (const [why, body, asked, status, error] of REFUSED) {
      const refused = await askToken(body, asked)
      expect([why, refused.status, refused.answer]).toEqual([
        why,
        status,
        { error, error_description: expect.any(String) },
      ])
      expect([refused.headers['www-authenticate'], refused.headers['cache-control']]).toEqual([
        status === 401 ? 'Basic realm="portaria", charset="UTF-8"' : undefined,
        'no-store',
      ])
    }
  })

  it('with a wrong secret, in the same words as an unknown client', async () => {
    const wrong = await askToken(GRANT, { authorization: basic(issued.client.id, 'wrong') })
    const unknown = await askToken(GRANT, { authorization: basic('cli_0000000000', 'wrong') })
    expect([wrong.status, wrong.answer]).toEqual([401, unknown.answer])
  })

  it('while another method or an unreadable body gets no token either', async () => {
    expect((await ask(api, '/oauth/token')).status).toBe(405)
    const packed = await ask(api, '/oauth/token', {
      method: 'POST',
      headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
      body: GRANT,
    })
    expect([packed.status, JSON.parse(packed.body)]).toMatchObject([415, { error: 'invalid_request' }])
  })
})

describe('secrets that change', () => {
  it('the old one counts beside the new one until its grace ends', async () => {
    const { secret } = await api.clients.rotate('shop', 60_000)
    const status = async (s: string) => (await askToken(GRANT, { authorization: basic(issued.client.id, s) })).status
    expect([await status(issued.secret), await status(secret)]).toEqual([200, 200])
    now = NOON + 60_000
    expect([await status(issued.secret), await status(secret)]).toEqual([401, 200])
  })

  it('without grace the old one counts no more, and neither do the tokens that it got', async () => {
    const authorization = `Bearer ${(await askToken()).answer.access_token}`
    const { secret } = await api.clients.rotate('shop', 0)
    expect((await askToken()).status).toBe(401)
    expect((await ask(api, '/v1/events', { authorization })).status).toBe(401)
    expect((await askToken(GRANT, { authorization: basic(issued.client.id, secret) })).status).toBe(200)
  })

  it('with grace its tokens live on', async () => {
    const authorization = `Bearer ${(await askToken()).answer.access_token}`
    await api.clients.rotate('shop', 1)
    expect((await ask(api, '/v1/events', { authorization })).status).toBe(200)
  })

  it('of a revoked client count no more, nor do its tokens', async () => {
    const authorization = `Bearer ${(await askToken()).answer.access_token}`
    await api.clients.revoke('shop')
    expect((await askToken()).status).toBe(401)
    const refused = await ask(api, '/v1/events', { authorization })
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"'])
  })
})

describe('who fails again and again', () => {
  const fail = (asked: Asked = {}) => askToken(GRANT, { authorization: basic(issued.client.id, 'wrong'), ...asked })

  async function failOften(asked: Asked = {}): Promise<void> {
    for (let n = 0; n < 5; n++) expect((await fail(asked)).status).toBe(401)
  }

  it('must wait, twice as long each time; the right secret is accepted at once, and ends no wait', async () => {
    await failOften()
    expect((await askToken()).status).toBe(200)
    const slow = await fail()
    expect([slow.status, slow.headers['retry-after'], slow.answer]).toEqual([
      429,
      '1',
      { error: 'slow_down', error_description: 'too many failures: wait 1 s; the right secret is accepted at once' },
    ])
    now += 1000
    expect((await fail()).status).toBe(401)
    expect((await fail()).headers['retry-after']).toBe('2')
    now += 2000
    expect((await askToken()).status).toBe(200)
    expect((await fail()).status).toBe(401)
    expect((await fail()).headers['retry-after']).toBe('4')
  })

  it('locks out neither the same client elsewhere, nor another client here', async () => {
    await failOften({ localAddress: '127.0.0.2' })
    expect((await fail({ localAddress: '127.0.0.2' })).status).toBe(429)
    expect((await askToken()).status).toBe(200)
    const other = await api.clients.create({ name: 'books', environment: 'any', scopes: ['events.read'] })
    const here = { localAddress: '127.0.0.2', authorization: basic(other.client.id, other.secret) }
    expect((await askToken(GRANT, here)).status).toBe(200)
  })

  it('is reported in the log by id and address, without a secret', async () => {
    await fail()
    await askToken(GRANT, { authorization: `Basic ${btoa('some-password:x')}` })
    const lines = await until(
      () => api.lines.filter(({ event }) => event === 'token.refused'),
      (found) => found.length === 2,
    )
    expect(lines).toEqual([
      { level: 'warn', event: 'token.refused', client: issued.client.id, address: '127.0.0.1' },
      { level: 'warn', event: 'token.refused', client: null, address: '127.0.0.1' },
    ])
  })
})
