import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import type { Scope } from '../../../src/domain/scopes.ts'
import type { MetadataOutcome } from '../../../src/domain/service/charges-service.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { type ApiChanges, type AskOptions, asClient, ask, sharedApi, startApi } from '../api.ts'

const FILE = resolve(import.meta.dirname, '../../../simulator/docs/service-errors.md')
const TABLE = readFileSync(FILE, 'utf8').split(/^## The gateway's own copies$/m)[1] ?? ''
const ROWS = [...TABLE.matchAll(/^\| ([^|]+) \| (\d{3}) \| `([^|]+)` \| .+ \|$/gm)].map(([, who, status, code]) => {
  return `${who} ${status} ${code}`
})

interface Case {
  readonly api?: ApiChanges
  /** Requests before the one whose answer counts. */
  readonly before?: readonly (readonly [method: string, path: string, body?: object])[]
  readonly scopes?: readonly Scope[]
  readonly asked: readonly [method: string, path: string, body?: unknown]
  readonly options?: AskOptions
}

const URL_OF_APP = 'https://shop.example/hook'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const failing = (error: Error) => () => Promise.reject(error)
const broken = { store: { listDestinations: failing(new Error('broken')) } }
const stuck = { store: { listDestinations: failing(new PortariaError('store_unavailable', 'the disk failed')) } }
const noKind = { kinds: ['charge'] }
const post = (path: string, body?: unknown) => ['POST', `/registration/v1${path}`, body] as const
const put = (body?: unknown) => ['PUT', '/payment/v1/webhook', body] as const
const many = Array.from(
  { length: 20 },
  (_, index) => ['PUT', '/payment/v1/webhook', { url: `${URL_OF_APP}/${index}` }] as const,
)
const guesses = Array.from({ length: 30 }, () => ['GET', '/registration/v1/webhooks'] as const)
const unnamed = {
  checkUrl: failing(
    new PortariaError('request_invalid', 'no name', { cause: Object.assign(new Error('no name'), { stage: 'name' }) }),
  ),
}
const REVERSED = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'] as const
const forbidden = { checkUrl: failing(new PortariaError('address_forbidden', 'a private address')) }
const list = ['GET', '/registration/v1/webhooks'] as const
const metadata = (body?: unknown, path = 'charge/77/metadata') =>
  ['PUT', `/charges/v1/${path}?environment=sandbox`, body] as const
const refusing = (outcome: MetadataOutcome): ApiChanges => ({ charges: { changeMetadata: async () => outcome } })
const refused = (status: number, code: number | null = null, error: string | null = null): MetadataOutcome => {
  return { kind: 'refused', status, code, error, description: null }
}
const failed: MetadataOutcome = {
  kind: 'failed',
  reason: 'no answer',
  text: 'no answer',
  isOutcomeUnknown: true,
  retryAfterMs: null,
}

/** Of the two interfaces with `nome`, where the endpoint does not matter. */
const BOTH: Record<string, Case> = {
  '400 requisicao_invalida': { asked: put('{') },
  '401 nao_autorizado': { asked: list, options: { authorization: 'Bearer unknown' } },
  '403 insufficient_scope': { asked: list, scopes: ['events.read'] },
  '404 nao_encontrado': { asked: post('/nowhere') },
  '405 metodo_nao_permitido': { asked: ['PATCH', '/payment/v1/webhook'] },
  '413 corpo_grande_demais': { asked: put({ url: 'x'.repeat(70_000) }) },
  '415 tipo_de_conteudo_invalido': { asked: put('a'), options: { headers: { 'content-type': 'text/plain' } } },
  '421 destino_incorreto': { asked: list, options: { headers: { host: 'other.example' } } },
  '429 requisicoes_demais': { asked: list, before: guesses, options: { authorization: 'Bearer unknown' } },
  '500 erro_aplicacao': { asked: list, api: broken },
  '503 servico_indisponivel': { asked: list, api: stuck },
}

const CHARGES: Record<string, Case> = {
  '400 3500034 validation_error': { asked: metadata('{') },
  '401 3500008 unauthorized': { asked: metadata({}), options: { authorization: null } },
  '403 3500008 insufficient_scope': { asked: metadata({}), scopes: ['events.read'] },
  '404 3500010 not_found': { asked: ['GET', '/charges/v1/nowhere'] },
  '405 3500034 validation_error': { asked: ['GET', '/charges/v1/charge/77/metadata'] },
  '413 3500034 validation_error': { asked: metadata({ custom_id: 'x'.repeat(70_000) }) },
  '415 3500034 validation_error': { asked: metadata('a'), options: { headers: { 'content-type': 'text/plain' } } },
  '421 3500034 validation_error': { asked: metadata({}), options: { headers: { host: 'other.example' } } },
  '429 3500034 validation_error': {
    asked: metadata({}),
    before: guesses,
    options: { authorization: 'Bearer unknown' },
  },
}

const ofMetadata = (path: string): Record<string, Case> => ({
  '400 3500034 validation_error': { asked: metadata({ more: 1 }, path) },
  '403 3500008 unauthorized': { asked: metadata({ custom_id: 'a' }, path), scopes: ['charges.metadata.write'] },
  '404 3500010 not_found': { asked: metadata({ custom_id: 'a' }, path.replace('77', 'x')) },
  '409 3500034 validation_error': {
    before: [metadata({ notification_url: URL_OF_APP }, path) as [string, string, object]],
    asked: metadata({ custom_id: 'a' }, path),
    scopes: ['charges.metadata.write'],
  },
  '412 3500043 invalid_status': {
    asked: metadata({ custom_id: 'a' }, path),
    api: refusing(refused(412, 3_500_043, 'invalid_status')),
  },
  '422 3500034 validation_error': { asked: metadata({ custom_id: 'a' }, path), api: refusing(refused(422)) },
  '500 3500000 internal': {
    asked: metadata({ custom_id: 'a' }, path),
    api: { charges: { changeMetadata: failing(new Error('broken')) } },
  },
  '503 3500000 internal': { asked: metadata({ custom_id: 'a' }, path), api: refusing(failed) },
})

const OWN: Record<string, Case> = {
  '1:18 400 requisicao_invalida': { asked: post('/webhook', { webhookUrl: URL_OF_APP, more: 1 }) },
  '1:18 400 url_webhook': { asked: post('/webhook', { webhookUrl: 'no address' }) },
  '1:18 400 protocolo_da_url': { asked: post('/webhook', { webhookUrl: 'http://shop.example/' }), api: forbidden },
  '1:18 400 url_informada_nao_existe': { asked: post('/webhook', { webhookUrl: URL_OF_APP }), api: unnamed },
  '1:18 400 chave_invalida': { asked: post('/webhook', { url: URL_OF_APP, chave: UNKNOWN }) },
  '1:18 400 webhook_invalido': { asked: post('/webhook', { webhookUrl: URL_OF_APP }), api: forbidden },
  '1:18 409 url_cadastrada': {
    before: [['POST', '/registration/v1/webhook', { webhookUrl: URL_OF_APP }]],
    asked: post('/webhook', { webhookUrl: URL_OF_APP }),
  },
  '1:18 409 conflito': {
    before: many,
    asked: post('/webhook', { webhookUrl: URL_OF_APP }),
    scopes: ['payment.webhook.write', 'registration.webhook.write'],
  },
  '1:18 422 nao_processavel': { asked: post('/webhook', { webhookUrl: URL_OF_APP }), api: noKind },
  '1:19 404 identificador_webhook': { asked: ['GET', `/registration/v1/webhook/${UNKNOWN}`] },
  '1:20 400 requisicao_invalida': { asked: ['GET', '/registration/v1/webhooks?inicio=yesterday'] },
  '1:20 400 data_invalida': {
    asked: ['GET', `/registration/v1/webhooks?inicio=${REVERSED[0]}&fim=${REVERSED[1]}`],
  },
  '1:21 404 identificador_webhook': { asked: ['DELETE', `/registration/v1/webhook/${UNKNOWN}`] },
  '1:22 400 requisicao_invalida': { asked: put({ url: 'no address' }) },
  '1:22 400 protocolo_da_url': { asked: put({ url: 'http://shop.example/' }), api: forbidden },
  '1:22 400 url_informada_nao_existe': { asked: put({ url: URL_OF_APP }), api: unnamed },
  '1:22 400 webhook_invalido': { asked: put({ url: URL_OF_APP }), api: forbidden },
  '1:22 409 conflito': { before: many, asked: put({ url: URL_OF_APP }), scopes: ['payment.webhook.write'] },
  '1:22 422 nao_processavel': { asked: put({ url: URL_OF_APP }), api: noKind },
  '1:23 400 requisicao_invalida': { asked: ['GET', '/payment/v1/webhook'] },
  '1:23 400 data_invalida': {
    asked: ['GET', `/payment/v1/webhook?dataInicio=${REVERSED[0]}&dataFim=${REVERSED[1]}`],
  },
  '1:24 400 requisicao_invalida': { asked: ['DELETE', '/payment/v1/webhook', {}] },
  '1:24 404 webhook_nao_encontrado': { asked: ['DELETE', '/payment/v1/webhook', { url: URL_OF_APP }] },
}

const prefixed = (who: string, cases: Record<string, Case>) =>
  Object.fromEntries(Object.entries(cases).map(([key, one]) => [`${who} ${key}`, one]))

const CASES: Record<string, Case> = {
  ...prefixed('each of 1:18 to 1:24', BOTH),
  ...OWN,
  ...prefixed('both of charges', CHARGES),
  ...prefixed('2:3', ofMetadata('charge/77/metadata')),
  ...prefixed('2:12', ofMetadata('subscription/77/metadata')),
}

/** 409 of endpoint 24 needs two clients. */
const OF_SEVERAL = '1:24 409 conflito'

it('the table of the gateway has each provoked error, and no other', () => {
  expect(ROWS.toSorted()).toEqual([...Object.keys(CASES), OF_SEVERAL].toSorted())
})

/** One sentence, and no word of English ones. */
const PORTUGUESE = expect.stringMatching(/^(?!.*\b(the|is|are|must|not|no such|there|with|of)\b)\p{Lu}.*\.$/u)

function codeOf(body: string): string {
  const { nome, code, error, mensagem, erros = [] } = JSON.parse(body) as Record<string, unknown> & { erros?: object[] }
  if (nome !== undefined)
    for (const one of [{ mensagem }, ...erros]) expect(one).toMatchObject({ mensagem: PORTUGUESE })
  return String(nome ?? (code === undefined ? error : `${code} ${error}`))
}

async function send(
  api: Parameters<typeof ask>[0],
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  { headers, ...options }: AskOptions,
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const sent = body === undefined ? {} : { body: text }
  const type = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }
  return ask(api, path, { method, ...options, ...sent, headers: { ...type, ...headers } })
}

const shared = sharedApi()

it.each(Object.keys(CASES))('%s is answered as simulator/docs/service-errors.md has it', async (key) => {
  const { before = [], asked, options = {}, scopes, api: changes } = CASES[key] as Case
  const api = changes === undefined && before.length === 0 ? await shared() : await startApi(changes)
  const environment = key.includes('403 3500008 unauthorized') ? 'production' : 'any'
  const client =
    scopes === undefined
      ? {}
      : {
          authorization: (await asClient(api, scopes, { environment, name: key.replaceAll(/\W+/g, '-') }))
            .authorization,
        }
  // What is there already belongs to the operator, except for the destinations of a client.
  for (const earlier of before) await send(api, earlier, before === many ? client : { ...options, headers: {} })
  const { status, body } = await send(api, asked, { ...client, ...options })
  expect(`${status} ${codeOf(body)}`).toBe(key.slice(key.indexOf(/ \d{3} /.exec(key)?.[0] ?? '') + 1))
})

it(`${OF_SEVERAL} is answered where several clients have registered the URL`, async () => {
  const api = await startApi()
  for (const name of ['one', 'two'])
    await send(api, put({ url: URL_OF_APP }), {
      authorization: (await asClient(api, ['payment.webhook.write'], { name })).authorization,
    })
  const { status, body } = await send(api, ['DELETE', '/payment/v1/webhook', { url: URL_OF_APP }], {})
  expect(`${status} ${codeOf(body)}`).toBe('409 conflito')
})
