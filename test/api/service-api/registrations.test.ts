import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SENTENCES } from '../../../src/api/service-api/sentences.ts'
import type { Scope } from '../../../src/domain/scopes.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { FORBIDDEN_HOSTS } from '../../support/forbidden-hosts.ts'
import { BASE_CALLBACKS, createSite, OPERATOR_TOKEN, startTestGateway } from '../../support/gateway.ts'
import { type AskOptions, asClient, ask, askJson, type RunningApi, startApi } from '../api.ts'

const SCOPES: readonly Scope[] = [
  ...(['registration.webhook.write', 'registration.webhook.read'] as const),
  ...(['payment.webhook.write', 'payment.webhook.read'] as const),
]
const OWN: readonly Scope[] = [...SCOPES, 'destinations.read', 'destinations.write']
const PERIOD = 'dataInicio=2020-01-01T00:00:00Z&dataFim=2099-01-01T00:00:00Z'

/** Node's client says by itself how long a body is, but not that of a DELETE. */
function sized(body: string, type = 'application/json'): Pick<AskOptions, 'headers' | 'body'> {
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return { body, headers: type === '' ? length : { ...length, 'content-type': type } }
}

interface Principal {
  readonly authorization: string
}
const OPERATOR: Principal = { authorization: `Bearer ${OPERATOR_TOKEN}` }

function send(
  api: { port: number },
  { authorization }: Principal,
  [method, path]: readonly [string, string],
  body?: object,
) {
  const options: AskOptions = { method, authorization }
  return ask(api, path, body === undefined ? options : { ...options, ...sized(JSON.stringify(body)) })
}

const register = (api: { port: number }, principal: Principal, webhookUrl: string) =>
  send(api, principal, ['POST', '/registration/v1/webhook'], { webhookUrl })
const put = (api: { port: number }, principal: Principal, url: string) =>
  send(api, principal, ['PUT', '/payment/v1/webhook'], { url })

async function idOf(answer: ReturnType<typeof register>): Promise<string> {
  return (JSON.parse((await answer).body) as { identificadorWebhook: string }).identificadorWebhook
}

async function destinationsOf(api: { port: number }, principal: Principal = OPERATOR) {
  return (await askJson<{ data: Record<string, unknown>[] }>(api, '/v1/destinations', principal)).data
}

describe('a registration', () => {
  it.each([
    ['sandbox', ['sandbox']],
    ['production', ['production']],
    ['any', null],
  ] as const)(
    'by a client of %s is a destination for %j, of its kind, with a name and a log line',
    async (environment, environments) => {
      const api = await startApi()
      const shop = await asClient(api, OWN, { environment })
      const id = await idOf(register(api, shop, 'https://shop.example/r?secret=1'))
      await put(api, shop, 'https://shop.example/p')
      const common = { environments, origin: 'registration', owner: shop.id, state: 'active', format: 'original' }
      const [first, second] = await destinationsOf(api, shop)
      expect([first, second]).toMatchObject([
        { ...common, kinds: ['registration'], url: 'https://shop.example/r?secret=1', registration: id },
        { ...common, kinds: ['payment'], url: 'https://shop.example/p', registration: expect.any(String) },
      ])
      expect([first?.name, second?.name]).toEqual([
        `registration-${id.slice(0, 8)}`,
        `payment-${String(second?.registration).slice(0, 8)}`,
      ])
      expect(api.lines.filter(({ event }) => event === 'registration.created')[0]).toEqual({
        level: 'info',
        event: 'registration.created',
        registration: id,
        destination: first?.name,
        kind: 'registration',
        client: shop.id,
      })
      expect(JSON.stringify(api.lines)).not.toContain('shop.example')
    },
  )

  it('by the operator is no one’s, and for both environments', async () => {
    const api = await startApi()
    await put(api, OPERATOR, 'https://shop.example/')
    expect(await destinationsOf(api)).toMatchObject([{ owner: null, environments: null, origin: 'registration' }])
  })

  it('is looked after by its client, who gets its secret and may not change its URL or kinds', async () => {
    const api = await startApi()
    const shop = await asClient(api, OWN)
    await put(api, shop, 'https://shop.example/')
    const { name } = (await destinationsOf(api, shop))[0] as { name: string }
    const at = (method: string, rest = '', body?: object) =>
      send(api, shop, [method, `/v1/destinations/${name}${rest}`], body)
    const { secrets } = JSON.parse((await at('GET', '/secret')).body) as { secrets: string[] }
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/)])
    expect((await at('POST', '/rotate-secret')).status).toBe(200)
    expect([(await at('POST', '/pause')).status, (await at('POST', '/resume')).status]).toEqual([200, 200])
    expect((await at('PATCH', '', { timeoutMs: 500, format: 'event', headers: { 'x-app': '1' } })).status).toBe(200)
    for (const changes of [{ url: 'https://other.example/' }, { kinds: ['charge'] }, { kinds: null }]) {
      const refused = await at('PATCH', '', changes)
      expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('is a registration')])
    }
    expect((await at('DELETE')).status).toBe(204)
    const { webhooks } = await askJson<{ webhooks: [] }>(api, `/payment/v1/webhook?${PERIOD}`, shop)
    expect(webhooks).toEqual([])
  })

  it('is shown to who may see operations, and deleted by who may change them', async () => {
    const api = await startApi()
    const shop = await asClient(api, SCOPES, { name: 'shop' })
    const watcher = await asClient(api, [...SCOPES, 'operations.read'], { name: 'watcher' })
    const admin = await asClient(api, [...SCOPES, 'operations.write'], { name: 'admin' })
    const id = await idOf(register(api, shop, 'https://shop.example/'))
    await put(api, shop, 'https://shop.example/')
    const path = `/registration/v1/webhook/${id}`
    const seen = await Promise.all(
      [watcher, admin, OPERATOR].map(async (principal) => (await ask(api, path, principal)).status),
    )
    expect(seen).toEqual([200, 200, 200])
    const url = { url: 'https://shop.example/' }
    const deleted = async (principal: Principal) => [
      (await send(api, principal, ['DELETE', path])).status,
      (await send(api, principal, ['DELETE', '/payment/v1/webhook'], url)).status,
    ]
    expect([await deleted(watcher), await deleted(admin)]).toEqual([
      [404, 404],
      [204, 204],
    ])
    expect(api.lines.filter(({ event }) => event === 'registration.deleted')).toHaveLength(2)
  })

  it('of several clients is deleted by URL as one’s own first, and as none where it is not known which is meant', async () => {
    const api = await startApi()
    const url = 'https://shop.example/'
    const clients = [await asClient(api, SCOPES, { name: 'shop' }), await asClient(api, SCOPES, { name: 'books' })]
    const admin = await asClient(api, [...SCOPES, 'operations.write'], { name: 'admin' })
    for (const principal of [...clients, admin]) await put(api, principal, url)
    const remove = async () => (await send(api, admin, ['DELETE', '/payment/v1/webhook'], { url })).status
    expect([await remove(), await remove()]).toEqual([204, 409])
    expect((await destinationsOf(api)).map(({ owner }) => owner)).toEqual(clients.map(({ id }) => id))
  })

  it('is deleted once by requests that come together; the others get the contract’s 404', async () => {
    const api = await startApi()
    const shop = await asClient(api, SCOPES)
    const id = await idOf(register(api, shop, 'https://shop.example/r'))
    const remove = () => send(api, shop, ['DELETE', `/registration/v1/webhook/${id}`])
    const answers = await Promise.all(Array.from({ length: 5 }, remove))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    const others = answers.filter(({ status }) => status !== 204).map(({ body }) => JSON.parse(body) as object)
    expect(others).toEqual(Array(4).fill(expect.objectContaining({ nome: 'identificador_webhook' })))
  })

  it('is moved by one of two requests with the same URL, in time for what waits, with a log line', async () => {
    const api = await startApi()
    const shop = await asClient(api, OWN)
    const ids = [
      await idOf(register(api, shop, 'https://shop.example/a')),
      await idOf(register(api, shop, 'https://shop.example/b')),
    ]
    const move = (chave: string) =>
      send(api, shop, ['POST', '/registration/v1/webhook'], { url: 'https://shop.example/c', chave })
    const answers = await Promise.all(ids.map(move))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const moved = answers[0]?.status === 200 ? ids[0] : ids[1]
    const destinations = await destinationsOf(api, shop)
    expect(destinations.find(({ registration }) => registration === moved)).toMatchObject({
      url: 'https://shop.example/c',
      kinds: ['registration'],
      state: 'active',
    })
    expect(destinations).toHaveLength(2)
    expect(api.lines.filter(({ event }) => event === 'registration.moved')).toEqual([
      expect.objectContaining({ registration: moved, client: shop.id }),
    ])
  })

  it('of a URL in capital letters is shown by the identificadorWebhook in any letters', async () => {
    const api = await startApi()
    const id = await idOf(register(api, OPERATOR, 'https://shop.example/'))
    expect((await ask(api, `/registration/v1/webhook/${id.toUpperCase()}`)).status).toBe(200)
  })
})

describe('registering', () => {
  it('is refused beyond 20 destinations of a client, not for what is registered already', async () => {
    const api = await startApi()
    const shop = await asClient(api, SCOPES)
    for (let n = 0; n < 20; n++) await put(api, shop, `https://shop.example/${n}`)
    for (const refused of [
      await put(api, shop, 'https://shop.example/'),
      await register(api, shop, 'https://a.example/'),
    ])
      expect([refused.status, JSON.parse(refused.body)]).toEqual([
        409,
        { nome: 'conflito', mensagem: expect.stringContaining('limite de destinos') },
      ])
    expect((await put(api, shop, 'https://shop.example/3')).status).toBe(201)
  })

  it('is refused where the gateway takes no callbacks of the kind', async () => {
    const api = await startApi({ kinds: ['charge'] })
    for (const refused of [
      await put(api, OPERATOR, 'https://a.example/'),
      await register(api, OPERATOR, 'https://a.example/'),
    ])
      expect([refused.status, JSON.parse(refused.body)]).toEqual([
        422,
        { nome: 'nao_processavel', mensagem: expect.stringContaining('callbacks.kinds') },
      ])
  })

  it('is refused where only institutions with names have the kind: the contract is that of the unnamed one', async () => {
    const kinds = { payment: { path: '/payment' }, registration: { path: '/registration' } }
    const trust = [{ environment: 'production', chain: 'certs/trust/production.pem' }]
    const { trust: _trust, kinds: _kinds, ...callbacks } = BASE_CALLBACKS
    const gateway = await startTestGateway(
      await createSite({ callbacks, institutions: [{ name: 'bank-a', trust, kinds }] }),
    )
    const answers = [
      await put(gateway.api, OPERATOR, 'https://127.0.0.1/'),
      await register(gateway.api, OPERATOR, 'https://127.0.0.1/'),
    ]
    expect(answers.map(({ status, body }) => [status, JSON.parse(body).nome])).toEqual(
      Array(2).fill([422, 'nao_processavel']),
    )
  })

  it('is refused for each spelling of a forbidden address', async () => {
    const gateway = await startTestGateway(await createSite({ forwarding: {} }))
    const answers = await Promise.all(
      FORBIDDEN_HOSTS.map(async (host) => {
        const url = `https://${host}/in`
        const both = [await register(gateway.api, OPERATOR, url), await put(gateway.api, OPERATOR, url)]
        return both.map(({ status, body }) => {
          const { nome, erros } = JSON.parse(body) as { nome: string; erros: { caminho: string }[] }
          return [host, status, nome, erros.map(({ caminho }) => caminho)]
        })
      }),
    )
    expect(answers).toEqual(
      FORBIDDEN_HOSTS.map((host) => [
        [host, 400, 'webhook_invalido', ['/webhookUrl']],
        [host, 400, 'webhook_invalido', ['/url']],
      ]),
    )
    expect(await destinationsOf(gateway.api)).toEqual([])
  })

  it('takes plain http only into an allowed network', async () => {
    const gateway = await startTestGateway()
    const statuses = ['http://127.0.0.1:9/', 'http://93.184.215.14/', 'https://93.184.215.14/'].map(
      async (url) => (await put(gateway.api, OPERATOR, url)).status,
    )
    expect(await Promise.all(statuses)).toEqual([201, 400, 201])
  })
})

describe('what goes wrong inside', () => {
  const failing = (error: unknown) => () => Promise.reject(error)

  it.each([
    [new PortariaError('store_unavailable', 'cannot open /data/x.db: EACCES'), 503, 'servico_indisponivel'],
    [new PortariaError('queue_full', 'too much waits'), 503, 'servico_indisponivel'],
  ])('is reported in the shape and the words of the contract: %s', async (error, status, nome) => {
    const api = await startApi({ store: { registerDestination: failing(error) } })
    const answer = await put(api, OPERATOR, 'https://shop.example/')
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { nome, mensagem: SENTENCES[503] }])
    expect(answer.headers['retry-after']).toBe('5')
    expect(api.lines.filter(({ event }) => event === 'api.failed')).toEqual([])
  })

  it('is logged in full and shown as no more than that', async () => {
    const api = await startApi({ store: { listDestinations: failing(new Error('private matter')) } })
    const answer = await ask(api, '/registration/v1/webhooks?inicio=2026-01-01T00:00:00Z')
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      500,
      { nome: 'erro_aplicacao', mensagem: expect.not.stringContaining('private') },
    ])
    expect(api.lines.filter(({ event }) => event === 'api.failed')).toMatchObject([
      { method: 'GET', path: '/registration/v1/webhooks', error: 'private matter' },
    ])
  })
})

it('a list without a period has webhooks that were registered while the clock was ahead', async () => {
  const clock = { now: Date.UTC(2027, 0, 1) }
  const api = await startApi({ now: () => clock.now })
  const id = await idOf(register(api, OPERATOR, 'https://shop.example/r'))
  clock.now = Date.UTC(2026, 0, 1)
  const { webhooks } = await askJson<{ webhooks: object[] }>(api, '/registration/v1/webhooks')
  expect(webhooks).toMatchObject([{ identificadorWebhook: id }])
})

it.each(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00-03:00', '2026-01-01'])(
  'endpoint 23 says which form it wants instead of %s',
  async (dataInicio) => {
    const query = new URLSearchParams({ dataInicio, dataFim: '2026-01-31T12:00:00Z' })
    const { status, body } = await ask(await startApi(), `/payment/v1/webhook?${query}`)
    const words =
      'Informe uma só vez data e hora em UTC no formato YYYY-MM-DDThh:mm:ssZ, sem fração de segundo, como 2026-01-31T12:00:00Z.'
    expect([status, JSON.parse(body).erros]).toEqual([400, [{ caminho: '/dataInicio', mensagem: words }]])
  },
)

const NAMES = [
  ...['webhookUrl', 'url', 'inicio', 'fim', 'dataInicio', 'dataFim', 'paginacao.paginaAtual'],
  ...['paginacao.itensPorPagina', '__proto__', 'constructor', 'a/b~c'],
]
const aValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.webUrl({ validSchemes: ['https', 'http'], withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    'https://shop.example/',
    '2026-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '1',
    '0',
    '1000',
    '99999999',
  ),
)
const aText = aValue.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
const aBody = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.dictionary(fc.constantFrom(...NAMES), aValue, { maxKeys: 3 }).map((b) => JSON.stringify(b)),
  },
  { weight: 1, arbitrary: fc.json() },
  {
    weight: 8,
    arbitrary: fc.constantFrom('{"webhookUrl":"https://shop.example/"}', '{"url":"https://shop.example/"}'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom('{"__proto__":{"url":1}}', '['.repeat(16_000)) },
)
const aQuery = fc.oneof(
  fc
    .dictionary(fc.constantFrom(...NAMES), aText, { maxKeys: 4 })
    .map((query) => `${new URLSearchParams(Object.entries(query))}`),
  fc.string({ unit: fc.constantFrom(...'%&=+azAZ09.-_:~;') }),
  fc.constant(PERIOD),
)
const aRequest = fc.record({
  target: fc.constantFrom(
    ...['POST /registration/v1/webhook', 'GET /registration/v1/webhooks', 'PUT /payment/v1/webhook'],
    ...[
      'GET /payment/v1/webhook',
      'DELETE /payment/v1/webhook',
      'DELETE /registration/v1/webhook/%00',
      'GET /payment/%zz',
    ],
  ),
  body: aBody,
  query: aQuery,
  type: fc.constantFrom('application/json', 'application/json', 'application/json; charset=utf-7', 'text/plain', ''),
})

it('whatever a body or a query holds, the answer is the contract’s, never a 5xx', async () => {
  const api: RunningApi = await startApi()
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(aRequest, async ({ target, body, query, type }) => {
      const [method = '', path] = target.split(' ')
      const sent = method === 'GET' ? {} : sized(body, type)
      const answer = await ask(api, `${path}?${query}`, { method, ...sent })
      seen.add(answer.status)
      expect([200, 201, 204, 400, 404, 409, 413, 415]).toContain(answer.status)
      if (answer.status < 300) return
      expect(JSON.parse(answer.body)).toMatchObject({ nome: expect.any(String), mensagem: expect.any(String) })
      expect(answer.body).not.toMatch(/\.ts:|node_modules/)
    }),
    { numRuns: 500 },
  )
  expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 404, 415]))
  expect(api.lines.filter(({ event }) => event === 'api.failed')).toEqual([])
})
