import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createServiceClient, type ServiceClientOptions } from '../../src/service/client.ts'
import { getNotification } from '../../src/service/notifications.ts'
import { listWebhooks, registerWebhook } from '../../src/service/webhooks.ts'
import { issuePairs, type Pair } from '../support/issued-pairs.ts'
import { certificateOf, collectLines, failureOf, guardedConnect } from './service.ts'
import { httpAnswer, startWitness, TOKEN_ANSWER, type Witness, type WitnessAnswer } from './witness.ts'

let pairs: { authority: Pair; server: Pair; client: Pair }
beforeAll(async () => {
  pairs = await issuePairs()
})

async function createWorld(answers: readonly WitnessAnswer[], changes: Partial<ServiceClientOptions> = {}) {
  const witness = await startWitness(pairs, answers)
  const base = (path: string) => `https://127.0.0.1:${witness.port}${path}`
  const { lines, log } = collectLines()
  const client = createServiceClient({
    environment: 'production',
    clientId: 'Client_Id_7',
    clientSecret: 'Client_Secret_7',
    servicePathSegment: 'gn',
    baseAddresses: {
      account: base(''),
      payment: base('/pay'),
      registration: base('/reg'),
      openBanking: base('/ob'),
      charges: base('/charges'),
    },
    certificate: certificateOf(pairs.client),
    authorities: pairs.authority.cert,
    connect: guardedConnect(),
    now: () => Date.parse('2026-03-02T12:00:00Z'),
    random: () => 0,
    retryMs: 1,
    log,
    ...changes,
  })
  onTestFinished(() => client.close())
  return { witness, client, lines }
}

const headOf = ({ seen }: Witness, index: number) => (seen[index]?.text ?? '').split('\r\n')
const BASIC = Buffer.from('Client_Id_7:Client_Secret_7').toString('base64')

describe('what is sent', () => {
  it('a registration: the token request and the call, with the certificate of the account', async () => {
    const created = httpAnswer('200 OK', '{"identificadorWebhook":"0b7a"}')
    const { witness, client } = await createWorld([TOKEN_ANSWER, created])
    await registerWebhook(client, 'registration', 'https://hooks.example/callbacks/registration')
    const host = `host: 127.0.0.1:${witness.port}`
    const agent = expect.stringMatching(/^user-agent: Portaria\/\d/)
    expect(headOf(witness, 0)).toEqual([
      ...['POST /reg/v1/oauth/token HTTP/1.1', host, 'connection: keep-alive', `authorization: Basic ${BASIC}`],
      ...['accept: application/json', agent, 'content-type: application/json', 'content-length: 35', ''],
      '{"grant_type":"client_credentials"}',
    ])
    expect(headOf(witness, 1)).toEqual([
      ...['POST /reg/v1/webhook HTTP/1.1', host, 'connection: keep-alive', 'authorization: Bearer secret-token'],
      ...['accept: application/json', agent, 'content-type: application/json', 'content-length: 61', ''],
      '{"webhookUrl":"https://hooks.example/callbacks/registration"}',
    ])
    expect(witness.seen.map(({ certificate, protocol }) => [certificate, protocol])).toEqual([
      ['client', 'TLSv1.3'],
      ['client', 'TLSv1.3'],
    ])
  })

  it('100 calls at once use at most 16 connections', async () => {
    const found = httpAnswer('200 OK', '{"data":[]}')
    const { witness, client } = await createWorld([TOKEN_ANSWER, ...Array<string>(100).fill(found)])
    await Promise.all(Array.from({ length: 100 }, () => getNotification(client, 'a1')))
    expect([witness.seen.length, witness.mostConnections()]).toEqual([101, 16])
  })

  it.each([
    ['account', '/oauth/token'],
    ['payment', '/pay/v1/oauth/token'],
    ['openBanking', '/ob/v1/oauth/token'],
    ['charges', '/charges/v1/authorize'],
  ] as const)('the token of %s is fetched at %s', async (on, path) => {
    const { witness, client } = await createWorld([TOKEN_ANSWER])
    await client.signIn(on)
    expect(headOf(witness, 0)[0]).toBe(`POST ${path} HTTP/1.1`)
    expect(witness.seen[0]?.certificate).toBe(on === 'charges' ? null : 'client')
  })

  it('a list of the payment interface: the period in whole seconds, far into the future, because clocks differ', async () => {
    const list = '{"parametros":{"paginacao":{"quantidadeDePaginas":0}},"webhooks":[]}'
    const { witness, client } = await createWorld([TOKEN_ANSWER, httpAnswer('200 OK', list)])
    await listWebhooks(client, 'payment', Date.parse('2026-03-02T12:00:00.250Z'))
    const [, target = ''] = headOf(witness, 1)[0]?.split(' ') ?? []
    expect(Object.fromEntries(new URL(target, 'https://x').searchParams)).toEqual({
      dataInicio: '1970-01-01T00:00:00Z',
      dataFim: '2036-03-02T12:00:00Z',
      'paginacao.paginaAtual': '0',
      'paginacao.itensPorPagina': '100',
    })
  })
})

describe('answers that no service gives', () => {
  const token = 'a1'
  it.each([
    ['a redirect', httpAnswer('302 Found', '', ['location: https://127.0.0.1/elsewhere']), /a redirect \(HTTP 302\)/],
    ['HTML', httpAnswer('200 OK', '<html>login</html>'), /HTTP 200 without JSON/],
    ['no body', httpAnswer('200 OK', ''), /HTTP 200 without JSON/],
    ['JSON of another shape', httpAnswer('200 OK', '{"code":200}'), /without the array data/],
    ['an entry without a number', httpAnswer('200 OK', '{"data":[{"id":1},{"id":"2"}]}'), /\(number 2\)/],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', /the answer is not HTTP\/1\.1/],
  ])('%s is garbage, in words', async (_title, answer, words) => {
    const { client } = await createWorld([TOKEN_ANSWER, answer])
    const failure = await failureOf(getNotification(client, token))
    expect(failure.message).toMatch(words)
    expect([failure.code, failure.message.includes('baseAddresses')]).toEqual(['garbage', true])
  })

  it('a token endpoint that answers HTML, or a token that is none, is garbage', async () => {
    for (const body of ['<html>', '{"access_token":""}', '{"access_token":"a\\r\\nb: c"}']) {
      const { client } = await createWorld([httpAnswer('200 OK', body)])
      const failure = await failureOf(client.signIn('charges'))
      expect([failure.code, failure.message]).toEqual(['garbage', expect.stringContaining('without an access token')])
    }
  })

  it('a connection that ends without an answer is repeated, and an answer that stays half is a timeout', async () => {
    const half = httpAnswer('200 OK', '{"data":[]}').slice(0, -4)
    const { client, witness } = await createWorld([TOKEN_ANSWER, 'cut', httpAnswer('200 OK', '{"data":[]}')])
    const answer = await client.request('charges', { method: 'GET', path: '/v1/notification/a1' })
    expect([answer.json, witness.seen.length]).toEqual([{ data: [] }, 3])
    const late = await createWorld([TOKEN_ANSWER, half], { timeoutMs: 150, callTimeoutMs: 150 })
    expect((await failureOf(getNotification(late.client, token))).code).toBe('timeout')
  })

  it('a call whose time ends after a connection that was reset says so, and not that no answer came', async () => {
    const { client } = await createWorld([TOKEN_ANSWER, 'cut', null], { timeoutMs: 1500, callTimeoutMs: 1500 })
    const failure = await failureOf(getNotification(client, token))
    expect([failure.code, failure.message]).toEqual(['unreachable', expect.not.stringContaining('no answer within')])
  })

  it('an answer without an end is cut at the limit', async () => {
    const endless = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(17 * 1024 * 1024)}`
    const { client } = await createWorld([TOKEN_ANSWER, endless])
    const failure = await failureOf(getNotification(client, token))
    expect([failure.code, failure.message]).toEqual(['garbage', expect.stringContaining('too long')])
  })

  it('words of the service are limited and without control characters', async () => {
    const body = JSON.stringify({ nome: 'x\u001b[31m', mensagem: 'y'.repeat(5000) })
    const { client } = await createWorld([TOKEN_ANSWER, httpAnswer('400 Bad Request', body)])
    const failure = await failureOf(getNotification(client, token))
    expect(failure.refusal).toMatchObject({ name: 'x\\u001b[31m', sentence: 'y'.repeat(300) })
  })

  it('an expires_in that is no number counts as five minutes, and one of ten years as a day', async () => {
    for (const [seconds, ms] of [
      ['"soon"', 270_000],
      ['315360000', 86_340_000],
    ] as const) {
      const answer = httpAnswer('200 OK', `{"access_token":"t","expires_in":${seconds}}`)
      const { client } = await createWorld([answer])
      await client.signIn('charges')
      const until = client.state().find((one) => one.interface === 'charges')?.tokenUntil ?? 0
      expect(until - Date.parse('2026-03-02T12:00:00Z')).toBe(ms)
    }
  })
})

describe('a server that closes the connection in the handshake', () => {
  it('does not accept the certificate of the account; at the charges interface, which is shown none, it is unreachable', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.on('error', () => undefined)
      socket.once('data', () => socket.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const addresses = { account: null, payment: base, registration: null, openBanking: null, charges: base }
    const { client } = await createWorld([], { baseAddresses: addresses })
    const failure = await failureOf(client.signIn('payment'))
    expect([failure.code, failure.isFinal, connections]).toEqual(['certificate_refused', false, 4])
    expect(failure.message).toContain('it closed 4 connections before an answer')
    expect((await failureOf(client.signIn('charges'))).code).toBe('unreachable')
  })
})

describe('a client that is closed', () => {
  it('gives up the calls under way, and says so', async () => {
    const { client, lines } = await createWorld([TOKEN_ANSWER, null])
    await client.signIn('charges')
    const failure = failureOf(getNotification(client, 'a1'))
    await client.close()
    expect((await failure).message).toContain('the call was given up, because the gateway stops')
    expect(lines).toEqual([])
  })
})

describe('nothing secret', () => {
  it('is in a failure or in the log', async () => {
    const { client, lines } = await createWorld([
      TOKEN_ANSWER,
      httpAnswer('401 Unauthorized', ''),
      TOKEN_ANSWER,
      httpAnswer('401 Unauthorized', ''),
    ])
    const failure = await failureOf(getNotification(client, 'a1'))
    const shown = JSON.stringify([failure, failure.message, lines, client.state(), String(failure.stack)])
    expect(shown).not.toMatch(/Client_Secret_7|secret-token|PRIVATE KEY/)
    expect(shown).not.toContain(BASIC)
    expect(new X509Certificate(pairs.client.cert).subject).toBe('CN=client')
  })
})
