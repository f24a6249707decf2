import { expect, it } from 'vitest'
import { kindDefaults } from '../../../src/domain/kinds.ts'
import type { Scope } from '../../../src/domain/scopes.ts'
import type { OpenApi } from '../../support/api-contract.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { ABOUT, type AskOptions, asClient, ask, askJson, startApi } from '../api.ts'

const CPF = '12345678909'
const DOTTED = '123.456.789-09'
const NAME = 'Maria Conceição Araújo'
const MAIL = 'maria.araujo@example.com'
const PERSONAL = [CPF, DOTTED, NAME, 'MARIA CONCEICAO ARAUJO', MAIL, 'Concei', '456.789', '@example']

const BODY = `{"identificador":"4711","valor":150.10,"status":{"atual":"LIQUIDADO"},"extras":{"pagador":{"nome":"${NAME}","documento":"${DOTTED}"}},
  "descricao":"Boleto de MARIA CONCEICAO ARAUJO","cpf":${CPF},"cpf":"${DOTTED}","contato":{"email":"maria.araujo\\u0040example.com"},"eco":["${MAIL}"]}`

type Api = Awaited<ReturnType<typeof startApi>>

/** An event of production with a delivery whose answer repeats the payload, and one of the sandbox. */
async function withPersonalEvents(api: Api) {
  const destination = await api.store.createDestination(
    aDestination({ name: 'books', kinds: ['payment', 'mine'] }),
    NOON,
  )
  const headers = JSON.stringify([
    ['content-type', `application/json; about="${NAME}"`],
    ['user-agent', `Service for ${MAIL}`],
    ['x-cpf', CPF],
    ['host', 'gateway.example'],
  ])
  const contentType = `application/json; about="${NAME}"`
  const received = { target: `/callbacks/payment?cpf=${CPF}&nome=Maria%20Concei%C3%A7%C3%A3o`, headers, contentType }
  const facts = [aFact({ subject: '4711' })]
  await api.store.storeCallback(aCallback({ text: BODY, facts, ...received }))
  await api.store.storeCallback(aCallback({ text: BODY, facts: [aFact({ subject: DOTTED })], environment: 'sandbox' }))
  const claim = {
    destinationId: destination.id,
    limit: 9,
    now: NOON,
    leaseUntil: NOON + 1000,
    freshSince: 0,
    backlogLimit: 9,
  }
  const { deliveries } = await api.store.claimDeliveries(claim)
  await api.store.recordAttempts(
    deliveries.map(({ deliveryId, attempt }) => ({
      deliveryId,
      attempt,
      startedAt: NOON,
      durationMs: 1,
      status: 500,
      error: `answered HTTP 500 ${MAIL}`,
      answer: Buffer.from(`no ${NAME} ${CPF}`),
      result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 },
    })),
  )
  const { events } = await api.store.listEvents({}, 100)
  return events.map(({ id }) => id)
}

const asSupport = (
  api: Api,
  scopes: readonly Scope[] = ['support.read'],
  environment: 'production' | 'any' = 'production',
) => asClient(api, scopes, { environment })

function expectNothingPersonal(text: string): void {
  for (const personal of PERSONAL) expect(text).not.toContain(personal)
  const plain = text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase()
  for (const personal of [CPF, 'mariaconceicaoaraujo', 'mariaaraujoexamplecom']) expect(plain).not.toContain(personal)
}

it('a page of masked events ends after 512 KiB of payloads; the next one goes on behind it', async () => {
  const api = await startApi()
  for (const id of ['A', 'B', 'C']) {
    const text = `{"identificador":"${id}","nota":"${'x'.repeat(250_000)}"}`
    await api.store.storeCallback(aCallback({ text, facts: [aFact({ subject: id, hash: null })] }))
  }
  const read = async (caller: AskOptions, query: string) => {
    const page = await askJson<{ data: { subject: string }[]; next: string; more: boolean }>(
      api,
      `/v1/events?${query}`,
      caller,
    )
    return { subjects: page.data.map(({ subject }) => subject).join(''), next: page.next, more: page.more }
  }
  const masked = await asSupport(api)
  const first = await read(masked, '')
  expect([first.subjects, first.more]).toEqual(['AB', true])
  expect(await read(masked, `after=${first.next}`)).toMatchObject({ subjects: 'C', more: false })
  expect(await read(masked, 'order=desc')).toMatchObject({ subjects: 'CB', more: true })
  expect(await read(await asSupport(api, ['events.read']), '')).toMatchObject({ subjects: 'ABC', more: false })
})

it('support.read shows events, evidence and deliveries, and nothing personal in any of them', async () => {
  const api = await startApi()
  const [id = ''] = await withPersonalEvents(api)
  const { authorization } = await asSupport(api)
  const answers = await Promise.all(
    [
      ...['/v1/events', '/v1/events?include=deliveries', '/v1/events?order=desc', '/v1/events?subject=4711&wait=0'],
      ...[`/v1/events/${id}`, `/v1/events/${id}/deliveries`],
    ].map(async (path) => ask(api, path, { authorization })),
  )
  for (const { status, body, headers } of answers) {
    expect(status).toBe(200)
    expectNothingPersonal(body + JSON.stringify(headers))
  }
  const detail = JSON.parse(answers[4]?.body ?? '')
  expect(detail).toMatchObject({
    id,
    subject: '4711',
    status: 'LIQUIDADO',
    masked: true,
    hashes: null,
    contentType: 'application/json',
    data: {
      identificador: '4711',
      status: { atual: 'LIQUIDADO' },
      extras: { pagador: '***' },
      descricao: '***',
      cpf: '***',
      contato: { email: '***' },
      eco: ['***'],
    },
    evidence: {
      target: '/callbacks/payment?***',
      headers: [
        ['content-type', 'application/json'],
        ['user-agent', '***'],
        ['x-cpf', '***'],
        ['host', 'gateway.example'],
      ],
    },
    deliveries: [{ destinationName: 'books', subject: '4711', lastStatus: 500, lastAnswer: null, lastError: '***' }],
  })
  expect(answers[4]?.body).toContain('"valor":150.10,')
  const { data: deliveries } = JSON.parse(answers[5]?.body ?? '')
  expect(deliveries).toMatchObject([{ latestAttempts: [{ attempt: 1, status: 500, answer: '', error: '***' }] }])
})

it('response bodies are hidden from a masked client that would see them otherwise', async () => {
  const api = await startApi()
  const [id = ''] = await withPersonalEvents(api)
  const { authorization } = await asSupport(api, ['support.read', 'operations.read'])
  for (const path of [`/v1/events/${id}`, `/v1/events/${id}/deliveries`]) {
    const { status, body } = await ask(api, path, { authorization })
    expect(status).toBe(200)
    expectNothingPersonal(body)
  }
})

it('the subject and the status are masked with the payload, and stay so when retention removes it', async () => {
  const rule = { ...kindDefaults('payment'), name: 'payment', path: '', subject: ['/cpf'], status: ['/a', '/nome'] }
  const api = await startApi({ maskedKinds: [rule] })
  const text = '{"cpf":"123","nome":"ab"}'
  await api.store.storeCallback(aCallback({ text, facts: [aFact({ subject: '123', status: 'ab' })] }))
  const { authorization } = await asSupport(api)
  const listed = async () => (await askJson<{ data: object[] }>(api, '/v1/events', { authorization })).data
  expect(await listed()).toMatchObject([{ subject: '***', status: '***', data: { cpf: '***', nome: '***' } }])

  await api.store.removeAged({ part: 'payload', before: NOON + 1, callbackIds: [1] }, NOON)
  expect(await listed()).toMatchObject([{ subject: '***', status: '***', data: null }])
})

it.each([
  ['no JSON', Buffer.from(`cpf=${CPF}&nome=Maria`)],
  ['not UTF-8', Buffer.from([0xff, 0x31, 0x32])],
  ['cut', Buffer.from(`{"cpf":"${CPF}"`)],
])('a body that is %s is hidden as a whole, and the subject with it', async (_, body) => {
  const api = await startApi()
  await api.store.storeCallback(aCallback({ body, facts: [aFact({ subject: CPF })], mark: 'unparsed' }))
  const { authorization } = await asSupport(api)
  const { body: text } = await ask(api, '/v1/events', { authorization })
  expect(JSON.parse(text).data).toMatchObject([{ data: '***', subject: '***', mark: 'unparsed' }])
  expect(text).not.toContain('dataBase64')
  expectNothingPersonal(text)
})

it('of a kind without a list, and of one that is no longer configured, every text is masked', async () => {
  const api = await startApi({ maskedKinds: [{ name: 'mine', path: '', ...kindDefaults('mine') } as never] })
  const text = `{"a":"x","txid":"4711","n":${CPF},"v":1.50}`
  const facts = ['mine', 'gone'].map((kind) => aFact({ kind, subject: '4711', status: 'paid' }))
  for (const fact of facts) await api.store.storeCallback(aCallback({ kind: fact.kind, text, facts: [fact] }))
  const { authorization } = await asSupport(api)
  const { body } = await ask(api, '/v1/events', { authorization })
  const masked = { subject: '***', status: '***', data: { a: '***', txid: '***', n: '***', v: 1.5 } }
  expect(JSON.parse(body).data).toMatchObject([masked, masked])
  expect(body).toContain('"v":1.50}')
})

it('with events.read beside it nothing is masked, and other clients’ response bodies stay hidden', async () => {
  const api = await startApi()
  const [id = ''] = await withPersonalEvents(api)
  const { authorization } = await asSupport(api, ['support.read', 'events.read'])
  const plain = await asClient(api, ['events.read'], { environment: 'production', name: 'reader' })
  const of = async (path: string, options: AskOptions) => (await ask(api, path, options)).body
  expect(await of('/v1/events', { authorization })).toBe(await of('/v1/events', plain))
  const [both, alone] = await Promise.all([
    askJson(api, `/v1/events/${id}`, { authorization }),
    askJson(api, `/v1/events/${id}`, plain),
  ])
  expect({ ...both, deliveries: [] }).toEqual(alone)
  expect(both.deliveries).toMatchObject([{ subject: '4711', lastAnswer: null }])
  const tried = await askJson(api, `/v1/events/${id}/deliveries`, { authorization })
  expect(tried.data).toMatchObject([{ latestAttempts: [{ answer: '', error: `answered HTTP 500 ${MAIL}` }] }])
})

it('support.unmask shows one event after its reason is on record, in the environment of the client', async () => {
  const api = await startApi()
  const [id = '', sandbox = ''] = await withPersonalEvents(api)
  const support = await asSupport(api, ['support.read', 'support.unmask'])
  const unmask = (event: string, body: unknown, query = '') =>
    ask(api, `/v1/events/${event}/unmask${query}`, {
      method: 'POST',
      authorization: support.authorization,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const { status, body } = await unmask(id, { reason: ' the customer called ' })
  expect([status, JSON.parse(body).data.eco, JSON.parse(body).masked]).toEqual([200, [MAIL], undefined])
  expect(body).toContain('"valor":150.10,')
  expect((await unmask(sandbox, { reason: 'other environment' })).status).toBe(404)
  for (const wrong of [
    {},
    { reason: '' },
    { reason: ' \t' },
    { reason: 'x'.repeat(201) },
    { reason: 1 },
    { reason: 'x', more: 1 },
    [],
  ])
    expect((await unmask(id, wrong)).status).toBe(400)
  const { actions } = await api.store.listActions({}, 100)
  expect(actions).toMatchObject([
    { id: 1, actor: support.id, action: 'unmaskEvent', target: id, reason: 'the customer called', refersTo: null },
    { id: 2, target: sandbox, reason: 'other environment', refersTo: null },
    { id: 3, target: sandbox, refersTo: 2 },
  ])
})

it('an event is not unmasked that cannot be recorded', async () => {
  const recordAction = () => Promise.reject(Object.assign(new Error('the disk failed')))
  const api = await startApi({ store: { recordAction } })
  const [id = ''] = await withPersonalEvents(api)
  const { authorization } = await asSupport(api, ['support.unmask'])
  const headers = { 'content-type': 'application/json' }
  const asked = { method: 'POST', authorization, headers, body: '{"reason":"x"}' }
  const { status, body } = await ask(api, `/v1/events/${id}/unmask`, asked)
  expect(status).toBe(500)
  expectNothingPersonal(body)
})

/** Every operation that a token with support.read alone may call. */
const OPEN = ['listEvents', 'showEvent', 'listEventDeliveries', 'listSubjects']

it('support.read opens four operations of all, in words, and no error shows anything personal', async () => {
  const api = await startApi({
    about: ABOUT,
    reload: async () => ({ renewed: [], problems: [] }) as never,
    reloadConfiguration: async () => ({ file: '', renewed: [], problems: [], needRestart: [] }),
    metrics: { isOpen: false, contentType: 'text/plain', text: async () => 'portaria 1\n' },
  })
  const [id = '', sandbox = ''] = await withPersonalEvents(api)
  const { authorization } = await asSupport(api)
  const { paths } = await askJson<OpenApi>(api, '/openapi.json')
  const open: string[] = []
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { operationId, security }] of Object.entries(item)) {
      if (security.length === 0 || operationId.startsWith('getToken')) continue
      const target = path.replace('/v1/events/{id}', `/v1/events/${id}`).replaceAll(/\{\w+\}/g, '1')
      const { status, body } = await ask(api, target, { method: method.toUpperCase(), authorization })
      if (status !== 403 && status !== 401) open.push(operationId)
      expectNothingPersonal(body)
    }
  }
  expect(open).toEqual(OPEN)
  const { body } = await ask(api, `/v1/events/${id}/original`, { authorization })
  expect(JSON.parse(body).detail).toMatch(/lacks the scope events.read: .*; support.read opens GET \/v1\/events, /)
  const refused = await Promise.all(
    [
      `/v1/events/${sandbox}`,
      `/v1/events/${sandbox}/deliveries`,
      '/v1/events?environment=sandbox',
      '/v1/events?kind=operator',
    ].map((path) => ask(api, path, { authorization })),
  )
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 403, 403])
})

it('a hint names no status, which may be masked', async () => {
  const api = await startApi({ maskedKinds: [] })
  await api.store.storeCallback(aCallback({ facts: [aFact({ status: NAME })] }))
  const { authorization } = await asSupport(api)
  const hintOf = async (options: AskOptions, query: string) => (await askJson(api, `/v1/events?${query}`, options)).hint
  expect(await hintOf({}, 'status=x')).toContain(NAME)
  expect(await hintOf({ authorization }, 'status=x')).toBeUndefined()
  expect(await hintOf({ authorization }, 'kind=paymant')).toContain("'paymant'")
})
