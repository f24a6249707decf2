import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readSettings } from '../../src/settings.ts'
import { type Receiver, type ReceiverOptions, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'

const REDIRECT = 'http://localhost:3000/back'
const MTLS = { type: 'mtls' }

let running: RunningSimulator
let good: Receiver
beforeAll(async () => {
  running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  good = await receiver({}, false)
})
afterAll(async () => {
  await good.stop()
  await running.stop()
})
beforeEach(() => running.simulator.sites.sandbox.records.clear('sandbox.'))

async function receiver(options: Partial<ReceiverOptions> = {}, isForTest = true): Promise<Receiver> {
  const { chain } = running.simulator.folder.environments.sandbox
  const started = await startReceiver({ chain, ...options })
  if (isForTest) onTestFinished(() => started.stop())
  return started
}
const put = (body: object) => running.ask('open-banking', { method: 'PUT', path: '/v1/config', body })
const show = () => running.ask('open-banking', { path: '/v1/config' })
const send = (body: object = {}) => running.control('POST', '/open-banking/callbacks', body)
const settled = () => running.simulator.sites.sandbox.tasks.settled()

describe('the settings', () => {
  it('are set and shown, without processPayment', async () => {
    const before = good.received.length
    const given = { redirectURL: REDIRECT, webhookURL: good.urlOf('ob'), webhookSecurity: MTLS, processPayment: 'sync' }
    const { status, json } = await put(given)
    const { processPayment, ...shown } = { ...given, generateTxIdForInic: false }
    expect([status, json]).toEqual([201, shown])
    expect([(await show()).status, (await show()).json]).toEqual([200, shown])
    expect(good.received.slice(before)).toMatchObject([{ path: '/ob', body: '{"evento":"teste_webhook"}' }])
  })

  it('ask for mutual TLS where the security is left out, and are replaced as a whole', async () => {
    await put({ redirectURL: REDIRECT, webhookURL: good.urlOf('a'), generateTxIdForInic: true })
    expect((await show()).json).toMatchObject({ webhookSecurity: MTLS, generateTxIdForInic: true })
    await put({ redirectURL: `${REDIRECT}2`, webhookURL: good.urlOf('b') })
    expect((await show()).json).toEqual({
      redirectURL: `${REDIRECT}2`,
      webhookURL: good.urlOf('b'),
      webhookSecurity: MTLS,
      generateTxIdForInic: false,
    })
  })

  it('are 404 configuracao_nao_encontrada before they are set, for each account', async () => {
    expect([(await show()).status, (await show()).json.nome]).toEqual([404, 'configuracao_nao_encontrada'])
    await put({ redirectURL: REDIRECT, webhookURL: good.urlOf('a') })
    const authorization = `Bearer ${await running.tokenOf('open-banking', { account: 1 })}`
    const url = `${running.baseOf('open-banking')}/v1/config`
    expect((await running.askRaw(url, { headers: { authorization } }, running.tlsOf('sandbox', 1))).status).toBe(404)
  })

  it('with hmac, no request is made to the address', async () => {
    const webhookURL = 'https://localhost:1/hook'
    const { status, json } = await put({
      redirectURL: REDIRECT,
      webhookURL,
      webhookSecurity: { type: 'hmac', hash: 'h' },
    })
    expect([status, json.webhookSecurity]).toEqual([201, { type: 'hmac', hash: 'h' }])
  })
})

it('with hmac no callback follows a request without a certificate, with mtls each one does', async () => {
  const probing = await runSimulator({ webhooks: { probe: 'always' } }, { receiverCaFile: receiverCaFile() })
  onTestFinished(() => probing.stop())
  const strict = await receiver({ chain: probing.simulator.folder.environments.sandbox.chain })
  const { tasks } = probing.simulator.sites.sandbox
  async function setAndSend(webhookSecurity: object): Promise<void> {
    const body = { redirectURL: REDIRECT, webhookURL: strict.urlOf('ob'), webhookSecurity }
    expect((await probing.ask('open-banking', { method: 'PUT', path: '/v1/config', body })).status).toBe(201)
    expect((await probing.control('POST', '/open-banking/callbacks', {})).status).toBe(202)
    await tasks.settled()
  }
  await setAndSend({ type: 'hmac', hash: 'h' })
  await setAndSend(MTLS)
  // One at the registration with mtls, and one before its callback.
  await strict.refused(2)
  await setAndSend({ type: 'hmac', hash: 'h' })
  expect([strict.received.map(({ path }) => path), strict.refusals()]).toEqual([
    ['/ob?hmac=h', '/ob', '/ob', '/ob?hmac=h'],
    2,
  ])
})

describe('a refusal', () => {
  const valid = { redirectURL: REDIRECT, webhookURL: 'https://localhost:1/' }
  const withSecurity = (webhookSecurity: unknown) => ({ ...valid, webhookSecurity })

  it.each([
    ['no redirect address', { webhookURL: valid.webhookURL }, 400, 'redirect_url_obrigatorio'],
    ['no callback address', { redirectURL: REDIRECT }, 400, 'webhook_url_obrigatorio'],
    ['nothing', {}, 400, 'redirect_url_obrigatorio'],
    ['a redirect address that is none', { ...valid, redirectURL: 'back' }, 422, 'redirect_url_invalido'],
    ['a redirect address that runs code', { ...valid, redirectURL: 'javascript:x' }, 422, 'redirect_url_invalido'],
    ['a callback address that is none', { ...valid, webhookURL: 'hook' }, 422, 'webhook_url_invalido'],
    ['a callback address without TLS', { ...valid, webhookURL: 'http://localhost:1/' }, 422, 'webhook_url_invalido'],
    ['an address that cannot be reached', valid, 422, 'webhook_url_invalido'],
    ['an unknown name', { ...valid, webhookURL: 'https://no-such.invalid/' }, 422, 'webhook_url_invalido'],
    ['another security', withSecurity({ type: 'basic' }), 422, 'webhook_seguranca_invalido'],
    ['no type of security', withSecurity({}), 422, 'webhook_seguranca_invalido'],
    ['a text as security', withSecurity('mtls'), 422, 'webhook_seguranca_invalido'],
    ['hmac without a hash', withSecurity({ type: 'hmac' }), 422, 'webhook_seguranca_hash_invalido'],
    ['an empty hash', withSecurity({ type: 'hmac', hash: '' }), 422, 'webhook_seguranca_hash_invalido'],
    [
      'a hash that is too long',
      withSecurity({ type: 'hmac', hash: 'h'.repeat(256) }),
      422,
      'webhook_seguranca_hash_invalido',
    ],
    ['a hash beside mtls', withSecurity({ type: 'mtls', hash: 'h' }), 422, 'webhook_seguranca_hash_invalido'],
    ['another processPayment', { ...valid, processPayment: 'later' }, 400, 'erro_de_validacao'],
    ['an unknown member', { ...valid, other: 1 }, 400, 'erro_de_validacao'],
  ])('settings that are not accepted: %s', async (_what, body, status, nome) => {
    const answer = await put(body)
    expect([answer.status, answer.json.nome]).toEqual([status, nome])
    expect((await show()).status).toBe(404)
  })

  it('names addresses that break the contract of the two requests', async () => {
    const wrong: [Receiver, number, string][] = [
      [await receiver({ chain: null }), 400, 'webhook_url_mtls_obrigatorio'],
      [await receiver({ answer: () => 500 }), 422, 'webhook_url_invalido'],
      [
        await receiver({ chain: running.simulator.folder.environments.production.client.cert }),
        422,
        'webhook_url_invalido',
      ],
    ]
    const answers = await Promise.all(wrong.map(([one]) => put({ ...valid, webhookURL: one.urlOf('a') })))
    expect(answers.map(({ status, json }) => [status, json.nome])).toEqual(wrong.map(([, ...expected]) => expected))
    expect((await show()).status).toBe(404)
  })

  it('has one name for every wrong address where the documents decide', async () => {
    const strict = await runSimulator({ errors: 'strict' })
    onTestFinished(() => strict.stop())
    const { status, json } = await strict.ask('open-banking', { method: 'PUT', path: '/v1/config', body: valid })
    expect([status, json.nome]).toEqual([400, 'webhook_invalido'])
  })
})

describe('a callback', () => {
  const settings = { redirectURL: REDIRECT, webhookSecurity: MTLS }
  const bodies = (from: Receiver, since = 0) => from.received.slice(since).map(({ body }) => JSON.parse(body))

  it('goes to the address over mutual TLS, with every member made up that was left out', async () => {
    await put({ ...settings, webhookURL: good.urlOf('ob?x=1') })
    const since = good.received.length
    const { status, json } = await send()
    await settled()
    expect([status, json.ids]).toEqual([202, [expect.any(Number)]])
    expect(good.received.slice(since)).toMatchObject([{ path: '/ob?x=1', contentType: 'application/json' }])
    expect(bodies(good, since)).toEqual([json.body])
    expect(json.body).toEqual({
      identificadorPagamento: expect.stringMatching(/^[0-9a-f-]{36}$/),
      valor: '150.10',
      status: 'aceito',
      tipo: 'pagamento',
      idProprio: expect.any(String),
      dataCriacao: expect.stringMatching(/Z$/),
      endToEndId: expect.stringMatching(/^E[0-9]{20}[0-9a-f]{11}$/),
    })
  })

  it('has the members that were given', async () => {
    await put({ ...settings, webhookURL: good.urlOf('ob') })
    const given = {
      identificadorPagamento: 'p1',
      valor: '0.01',
      status: 'rejeitado',
      dataCriacao: '2026-01-31 12:00:00',
      endToEndId: 'E1',
      idProprio: 'mine',
      tipo: 'devolucao',
      motivo: 'why',
      identificadorDevolucao: 'd1',
    }
    const since = good.received.length
    expect((await send(given)).json.body).toEqual(given)
    await settled()
    expect(bodies(good, since)).toEqual([given])
  })

  it('of a refused or expired payment has a reason, and of a refund its identifier', async () => {
    await put({ ...settings, webhookURL: good.urlOf('ob') })
    const made = await Promise.all([send({ status: 'expirado' }), send({ tipo: 'devolucao' }), send()])
    const extras = made.map(({ json: { body } }) => ['motivo' in body, 'identificadorDevolucao' in body])
    expect(extras).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ])
  })

  it.each([
    ['/hook', 'abc', '/hook?hmac=abc'],
    ['/hook?x=1', 'abc', '/hook?x=1&hmac=abc'],
    ['/hook?x=1', 'a+b/c=&d', '/hook?x=1&hmac=a%2Bb%2Fc%3D%26d'],
    ['/', 'h'.repeat(255), `/?hmac=${'h'.repeat(255)}`],
  ])(
    'with hmac goes to %s with the hash %s behind it, and needs no client certificate',
    async (path, hash, expected) => {
      const open = await receiver({ chain: null })
      const webhookURL = open.urlOf(path.slice(1))
      await put({ redirectURL: REDIRECT, webhookURL, webhookSecurity: { type: 'hmac', hash } })
      await send()
      await settled()
      expect(open.received.map((one) => one.path)).toEqual([expected])
    },
  )

  it('goes to the last address only', async () => {
    const old = await receiver()
    await put({ ...settings, webhookURL: old.urlOf('old') })
    await put({ ...settings, webhookURL: good.urlOf('new') })
    const since = good.received.length
    await send()
    await settled()
    expect([old.received.length, good.received.length - since]).toEqual([1, 1])
  })

  it('that is not answered in time is tried again, and an address that does not answer is refused', async () => {
    const impatient = await runSimulator(
      { webhooks: { openBankingTimeoutSeconds: 1 } },
      { receiverCaFile: receiverCaFile() },
    )
    onTestFinished(() => impatient.stop())
    const { webhooks, tasks } = impatient.simulator.sites.sandbox
    const silent = await receiver({
      chain: impatient.simulator.folder.environments.sandbox.chain,
      answer: () => 'silence',
    })
    const given = { redirectURL: REDIRECT, webhookURL: silent.urlOf('ob') }
    const set = (body: object) => impatient.ask('open-banking', { method: 'PUT', path: '/v1/config', body })
    expect((await set(given)).json.nome).toBe('webhook_url_invalido')
    await set({ ...given, webhookSecurity: { type: 'hmac', hash: 'h' } })
    const [id] = (await impatient.control('POST', '/open-banking/callbacks', {})).json.ids
    await tasks.settled()
    expect(webhooks.callbacks.get(id)).toMatchObject({
      state: 'pending',
      attempts: [{ outcome: { kind: 'timeout' } }],
    })
    expect(readSettings(null).webhooks.openBankingTimeoutSeconds).toBe(25)
  })

  it('needs settings, of the account that is named where several have them', async () => {
    const none = await send()
    expect([none.status, none.json.error]).toEqual([
      409,
      expect.stringContaining('no account has open-banking settings'),
    ])
    await put({ ...settings, webhookURL: good.urlOf('ob') })
    expect((await send({ account: '200002' })).status).toBe(409)
    const authorization = `Bearer ${await running.tokenOf('open-banking', { account: 1 })}`
    const body = { ...settings, webhookURL: good.urlOf('second') }
    const asked = { method: 'PUT', headers: { authorization }, body }
    await running.askRaw(`${running.baseOf('open-banking')}/v1/config`, asked, running.tlsOf('sandbox', 1))
    expect((await send()).json.error).toContain('200001, 200002')
    const since = good.received.length
    expect((await send({ account: '200002' })).status).toBe(202)
    await settled()
    expect(good.received.slice(since).map(({ path }) => path)).toEqual(['/second'])
  })

  it.each([{ valor: '1' }, { valor: 1 }, { status: 'paid' }, { tipo: 'x' }, { other: 1 }])(
    'cannot have %j',
    async (body) => {
      expect((await send(body)).status).toBe(400)
    },
  )
})

it('each endpoint needs its own scope, and no GET changes a record', async () => {
  await put({ redirectURL: REDIRECT, webhookURL: 'https://localhost:1/', webhookSecurity: { type: 'hmac', hash: 'h' } })
  const read = await running.tokenOf('open-banking', { scope: 'gn.opb.config.read' })
  const write = await running.tokenOf('open-banking', { scope: 'gn.opb.config.write' })
  const before = running.simulator.sites.sandbox.records.dump()
  const statusOf = async (method: string, token: string) =>
    (await running.ask('open-banking', { method, path: '/v1/config', token, body: method === 'PUT' ? {} : undefined }))
      .status
  expect([await statusOf('GET', read), await statusOf('GET', write)]).toEqual([200, 403])
  expect([await statusOf('PUT', write), await statusOf('PUT', read)]).toEqual([400, 403])
  expect(running.simulator.sites.sandbox.records.dump()).toEqual(before)
})
