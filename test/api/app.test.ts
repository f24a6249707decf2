import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operatorToken } from '../../src/api/auth/operator-token.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { allEvents, callApi, callBack } from '../support/calls.ts'
import { createSite, OPERATOR_TOKEN, startTestGateway } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { asClient, ask, askJson, sharedApi, startApi } from './api.ts'

const shared = sharedApi()

describe('who is let in', () => {
  it('without a token no one, wherever something answers, and however its path is written', async () => {
    const api = await shared()
    const paths = [
      ...['/v1', '/v1/', '/v1/events', '/V1/EVENTS', '/v1/events/', '/v1/events?after=latest', '/v1/events/evt_1_0'],
      ...['/v1/events/evt_1_0/original', '/v1/deliveries', '/v1/destinations', '/v1/destinations/dst_1/secret'],
      ...['/v1/nothing', `http://127.0.0.1:${api.port}/v1/events`],
    ]
    const answers = await Promise.all(paths.map((path) => ask(api, path, { authorization: null })))
    expect(answers.map(({ status, headers }) => [status, headers['www-authenticate']])).toEqual(
      paths.map(() => [401, 'Bearer']),
    )
  })

  it('other spellings of a path lead nowhere', async () => {
    const api = await shared()
    const paths = ['//v1/events', '/v1%2fevents', '/%76%31/events', '/v1//events', '/x/../v1/events']
    const answers = await Promise.all(paths.map((path) => ask(api, path, { authorization: null })))
    for (const { status } of answers) expect([401, 404]).toContain(status)
  })

  it.each([
    ['Bearer', 'Bearer'],
    ['Basic b3BlcmF0b3I6', 'Bearer'],
    ['Bearer wrong', 'Bearer error="invalid_token"'],
    [`Bearer ${OPERATOR_TOKEN}x`, 'Bearer error="invalid_token"'],
    [`Bearer ${OPERATOR_TOKEN.slice(0, -1)}`, 'Bearer error="invalid_token"'],
    [`Bearer ${OPERATOR_TOKEN} ${OPERATOR_TOKEN}`, 'Bearer'],
  ])('not with "Authorization: %s"', async (authorization, challenge) => {
    const answer = await ask(await shared(), '/v1/events', { authorization })
    const detail =
      challenge === 'Bearer'
        ? 'send the operator\'s token (api.operatorTokenFile), or an access token from POST /oauth/token, as "Authorization: Bearer …"'
        : 'the token was not issued by this gateway'
    expect([answer.status, answer.headers['www-authenticate'], JSON.parse(answer.body)]).toEqual([
      401,
      challenge,
      {
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        code: 'unauthorized',
        detail,
        requestId: answer.headers['x-request-id'],
      },
    ])
  })

  it('without an operator token none passes for one, and what to do is reported', async () => {
    const api = await startApi({ operatorToken: null })
    expect((await ask(api, '/v1/events', { authorization: 'Bearer null' })).status).toBe(401)
    const answer = await ask(api, '/v1/events', { authorization: null })
    expect(JSON.parse(answer.body)).toMatchObject({
      detail: expect.stringMatching(/; no operator token is configured: set api\.operatorTokenFile$/),
    })
  })

  it('with the token, in any case of "bearer"', async () => {
    const api = await shared()
    expect((await ask(api, '/v1/events', { authorization: `bearer  ${OPERATOR_TOKEN}` })).status).toBe(200)
  })

  it('a token that is too short is refused, and a missing one is made only in development', () => {
    const file = join(temporaryFolder(), 'secrets', 'token')
    expect(() => operatorToken(file, false)).toThrow(/cannot be read.*openssl rand -hex 32/)
    expect(operatorToken(file, true)).toMatch(/^[0-9a-f]{64}$/)
    expect(operatorToken(file, true)).toBe(readFileSync(file, 'utf8').trim())
    const short = join(temporaryFolder(), 'token')
    writeFileSync(short, '0123456789012345678901234567890\n')
    expect(() => operatorToken(short, true)).toThrow(/at least 32 letters and digits/)
    expect(operatorToken(null, true)).toBeNull()
  })
})

describe('every answer', () => {
  it('carries helmet’s headers, is not stored, and says nothing of what made it', async () => {
    const api = await shared()
    const paths = ['/healthz', '/readyz', '/v1/events', '/v1/events?limit=0', '/v1/events/x', '/nothing']
    for (const path of paths) {
      const { headers } = await ask(api, path)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'strict-transport-security': expect.stringContaining('max-age='),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
      })
      expect(headers).not.toHaveProperty('x-powered-by')
      expect(headers).not.toHaveProperty('etag')
    }
  })

  it('to a path that is not there is a problem that names it', async () => {
    const api = await shared()
    const asked = [
      ['GET', '/nothing'],
      ['PUT', '/v1/nothing'],
      ['POST', '/v1/destinations/books/nothing'],
    ] as const
    for (const [method, path] of asked) {
      const answer = await ask(api, path, { method })
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        404,
        {
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
          code: 'not_found',
          detail: `there is no endpoint at ${method} ${path}`,
          requestId: answer.headers['x-request-id'],
        },
      ])
    }
  })

  it.each([
    ['GET', '/v1/event', 'did you mean /v1/events?'],
    ['GET', '/v1/events/evt_1_0000000000/deliverys', 'did you mean /v1/events/:id/deliveries?'],
    ['POST', '/webhook', 'did you mean /registration/v1/webhook or /payment/v1/webhook?'],
    ['PUT', '/v1/webhook', 'did you mean /registration/v1/webhook or /payment/v1/webhook?'],
    ['GET', '/v1/webhook', 'did you mean /registration/v1/webhook or /payment/v1/webhook?'],
    ['DELETE', '/v1/webhook', 'did you mean /registration/v1/webhook or /payment/v1/webhook?'],
    ['POST', '/v1/webhook', 'did you mean /registration/v1/webhook or /payment/v1/webhook?'],
    ['PUT', '/v1/webhook/', 'did you mean /registration/v1/webhook or /payment/v1/webhook?'],
    ['GET', '/v1/webhooks', 'did you mean /registration/v1/webhooks?'],
    ['DELETE', '/v1/webhook/7d9b', 'did you mean /registration/v1/webhook/:identificadorWebhook?'],
    ['GET', '/events/evt_1_0000000000/deliveries', 'did you mean /v1/events/:id/deliveries?'],
  ])(
    'to the mistyped %s %s is 404 with the nearest path, for a client without any scope for it too',
    async (method, path, advice) => {
      const api = await shared()
      const { authorization } = await asClient(api, ['payment.webhook.read'], {
        name: (method + path).replaceAll(/[^a-z]/gi, '-'),
      })
      for (const caller of [{}, { authorization }]) {
        const answer = await ask(api, path, { method, ...caller })
        expect([answer.status, JSON.parse(answer.body).detail]).toEqual([
          404,
          `there is no endpoint at ${method} ${path}; ${advice}`,
        ])
      }
    },
  )

  it('to a mistyped path of the service’s own API names the nearest path too', async () => {
    const api = await shared()
    const answers = ['/registration/v1/webhok', '/payment/v1/webhooks', '/payment/nothing'].map(async (path) => {
      const { status, body } = await ask(api, path)
      return [status, JSON.parse(body).mensagem]
    })
    const nothing = 'Este endereço não existe'
    expect(await Promise.all(answers)).toEqual([
      [404, `${nothing}; seria /registration/v1/webhook?`],
      [404, `${nothing}; seria /payment/v1/webhook?`],
      [404, `${nothing}.`],
    ])
  })

  it('to HEAD is the one to GET without its body', async () => {
    const api = await shared()
    const [get, head] = [await ask(api, '/v1/events'), await ask(api, '/v1/events', { method: 'HEAD' })]
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
    expect(head.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('to a path that cannot be decoded is a problem', async () => {
    const answer = await ask(await shared(), '/v1/events/%zz')
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      400,
      { code: 'request_invalid', detail: expect.stringContaining('percent-encoding') },
    ])
  })

  it.each(['http://[', 'http://[::1/v1/events'])('to the target %s, which is no URL, is a problem', async (target) => {
    const { port } = await shared()
    const socket = connect(port, '127.0.0.1')
    socket.end(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
    const [head, body] = Buffer.concat(await socket.toArray())
      .toString('utf8')
      .split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 .*content-type: application\/problem\+json/is)
    expect(head).toMatch(/x-content-type-options: nosniff/i)
    expect(JSON.parse(body ?? '')).toMatchObject({ code: 'request_invalid', detail: expect.stringContaining('target') })
  })

  it('to an error of our own shows none of it; the log has it in full', async () => {
    const listEvents = () => Promise.reject(new TypeError('secret inner words'))
    const api = await startApi({ store: { listEvents } })
    const headers = { 'x-request-id': 'seen-at-the-proxy.1' }
    const answer = await ask(api, '/v1/events?subject=private', { headers })
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      500,
      {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        code: 'internal',
        detail: 'Internal error',
        requestId: 'seen-at-the-proxy.1',
      },
    ])
    expect(api.lines).toEqual([
      {
        level: 'error',
        event: 'api.failed',
        method: 'GET',
        path: '/v1/events',
        error: 'secret inner words',
        requestId: 'seen-at-the-proxy.1',
        stack: expect.stringContaining('TypeError'),
      },
    ])
  })

  it('while the store cannot be used is 503 with a time to come back', async () => {
    const listEvents = () => Promise.reject(new PortariaError('store_unavailable', 'the disk failed'))
    const answer = await ask(await startApi({ store: { listEvents } }), '/v1/events')
    expect([answer.status, answer.headers['retry-after'], JSON.parse(answer.body)]).toMatchObject([
      503,
      '5',
      { code: 'store_unavailable', detail: 'the disk failed' },
    ])
  })
})

describe('the gateway’s API', () => {
  it('tells that it lives and that it is ready, to anybody, and after its stop nothing', async () => {
    const api = { host: '127.0.0.1', port: await reservePort(), operatorTokenFile: 'operator-token' }
    const gateway = await startTestGateway(await createSite({ api }))
    expect(await askJson(gateway.api, '/healthz', { authorization: null })).toEqual({
      status: 'alive',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    const ready = await ask(gateway.api, '/readyz', { authorization: null })
    expect([ready.status, JSON.parse(ready.body)]).toEqual([
      200,
      {
        status: 'ready',
        reasons: [],
        checks: { listener: 'good', writer: 'good', disk: 'good', migrations: 'good' },
        warnings: [],
        configuration: { generation: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), needRestart: [] },
      },
    ])
    await gateway.stop()
    await expect(ask(gateway.api, '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('is alive but not ready while something keeps it from its work, and says what', async () => {
    const api = await startApi({
      reasons: ['the listeners are not open', 'the disk fails'],
      unheard: () => ({ since: Date.now() - 7000, reason: 'secret' }),
    })
    const [alive, ready] = [await ask(api, '/healthz'), await ask(api, '/readyz')]
    expect([alive.status, ready.status, JSON.parse(ready.body)]).toEqual([
      200,
      503,
      {
        status: 'not ready',
        reasons: ['the listeners are not open', 'the disk fails'],
        checks: {
          listener: 'the listeners are not open',
          writer: 'the disk fails',
          disk: 'good',
          migrations: 'good',
        },
        warnings: [
          expect.stringMatching(
            /^changes of other nodes have not been heard for \d+ s, only looked for: see nodes\.not_heard/,
          ),
        ],
        configuration: null,
      },
    ])
  })

  it('never has its token or a query in the log', async () => {
    const gateway = await startTestGateway()
    await callApi(gateway.api, '/v1/events?subject=private-subject')
    await callApi(gateway.api, '/v1/events', { token: 'a-wrong-token-0123456789' })
    await callBack(gateway, { body: '{"identificador":"private-subject"}' })
    await until(
      () => allEvents(gateway.api),
      (events) => events.length === 1,
    )
    const log = JSON.stringify(gateway.lines)
    for (const secret of [OPERATOR_TOKEN, 'a-wrong-token', 'private-subject']) expect(log).not.toContain(secret)
  })

  it('is refused on another than a loopback address without TLS', async () => {
    const site = await createSite({ api: { host: '0.0.0.0', port: 0, operatorTokenFile: 'operator-token' } })
    await expect(startTestGateway(site)).rejects.toMatchObject({
      code: 'configuration_invalid',
      details: [expect.stringMatching(/^api\.host .*must have TLS: add certificate and privateKey/)],
    })
  })

  it('speaks TLS where it has a certificate', async () => {
    const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
    const site = await createSite({ api: { host: '0.0.0.0', port: 0, operatorTokenFile: 'operator-token', ...tls } })
    const { api } = await startTestGateway(site)
    const ca = readFileSync(join(site.certs, 'server-ca.crt'))
    const answer = await new Promise<{ status: number | undefined; protocol: string | null }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
      const target = { host: '127.0.0.1', port: api.port, path: '/v1/events', servername: 'localhost', agent: false }
      httpsRequest({ ...target, ca, headers }, (response) => {
        const { socket } = response as unknown as { socket: { getProtocol(): string | null } }
        resolve({ status: response.statusCode, protocol: socket.getProtocol() })
        response.resume()
      })
        .on('error', reject)
        .end()
    })
    expect(answer).toEqual({ status: 200, protocol: 'TLSv1.3' })
    await expect(ask(api, '/v1/events')).rejects.toThrow()
  })
})
