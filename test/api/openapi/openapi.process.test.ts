import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRoutes } from '../../../src/api/app.ts'
import { operationsOf as servedBy } from '../../../src/api/operations.ts'
import { SCOPES } from '../../../src/domain/scopes.ts'
import { contractFrom, contractOf, type OpenApi } from '../../support/api-contract.ts'
import { aCallback } from '../../support/builders.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../../support/gateway.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type ApiChanges, asClient, ask, askJson, sharedApi, startApi } from '../api.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Endpoints that answer although every method of the store fails. */
const WITHOUT_STORE = /^\/v1\/(clients|certificates|check|gateway|service\/reconcile|storage\/(prune|confirm-clock))/
/** With the endpoints of the control socket. */
const EVERYTHING = {
  about: {
    version: '0.1.0',
    database: { file: 'portaria.db', inode: null },
    passed: { callbacks: { host: '::', port: 443 } },
    startedAt: '2026-01-15T12:00:00Z',
    descriptors: null,
  },
  reload: async () => ({ renewed: ['the chains of the service'], problems: [] }),
  reloadConfiguration: async () => ({ file: 'portaria.yaml', renewed: [], problems: [], needRestart: ['log.level'] }),
  metrics: { isOpen: false, contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => 'up 1\n' },
}

const shared = sharedApi(EVERYTHING)
let api: Awaited<ReturnType<typeof shared>>
let contract: OpenApi
beforeAll(async () => {
  api = await shared()
  contract = await contractAt(api)
})

const contractAt = (asked: { port: number }) =>
  askJson<OpenApi & Record<string, unknown>>(asked, '/openapi.json', { authorization: null })
const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
/** Ids that name nothing. */
const concrete = (path: string) =>
  path.replace(/(?<=\/(\w+)\/)\{id\}/, (_, noun) => IDS[noun] ?? 'nothing').replaceAll(/\{\w+\}/g, 'nothing')
const IDS: Record<string, string> = {
  events: 'evt_9_0123456789',
  deliveries: 'dlv_9',
  refusals: 'rfs_9',
  quarantine: 'qtn_9',
  replays: 'rpl_9',
}

interface Layer {
  readonly route?: {
    readonly path: string | string[]
    readonly methods: Record<string, boolean>
    readonly stack: Layer[]
  }
  readonly handle: { readonly stack?: Layer[] }
  readonly name: string
  readonly rawPath: unknown
}

/** The served endpoints, as `GET /v1/events/{id}`, without middleware. */
function routesOf(stack: readonly Layer[]): string[] {
  return stack.flatMap(({ route, handle, rawPath }) => {
    if (route === undefined) {
      if (handle.stack !== undefined) expect(rawPath).toBe('/')
      return routesOf(handle.stack ?? [])
    }
    // Every route has one for all methods, which refuses the others.
    const methods = Object.keys(route.methods).filter((method) => method !== '_all')
    return [route.path]
      .flat()
      .flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`))
  })
}

describe('the document', () => {
  it('is for everybody, and of this version', async () => {
    const gateway = await startTestGateway()
    const { openapi, info } = await contractAt(gateway.api)
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect([openapi, info.version]).toEqual(['3.1.1', version])
  })

  it('has every route that is served, and no other', async () => {
    for (const one of [api, await startApi()]) {
      const { stack } = createRoutes(one.options, servedBy(one.options)).router as unknown as { stack: Layer[] }
      const documented = operationsOf(await contractAt(one))
      expect(documented.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
        [...new Set(routesOf(stack))].sort(),
      )
    }
  })

  it('names the kinds that are configured', async () => {
    const { components } = await contractAt(await startApi({ kinds: ['charge', 'openBanking'] }))
    for (const name of ['NewDestination', 'DestinationChanges'])
      expect(JSON.stringify(components.schemas[name])).toContain('["charge","openBanking","probe","operator"]')
  })

  it('has a named schema for each body, with one meaning in requests and answers', () => {
    const bodies = operationsOf(contract).flatMap(({ operation: { requestBody, responses } }) =>
      [requestBody ?? {}, ...Object.values(responses)].flatMap(({ content = {} }) => Object.values(content)),
    )
    expect(bodies.filter(({ schema }) => schema !== undefined && !('$ref' in schema))).toEqual([])
    // The generator gives this suffix to the meaning in answers, where it is another one.
    expect(Object.keys(contract.components.schemas).filter((name) => name.endsWith('Output'))).toEqual([])
  })

  it.each([
    ['without client certificates', {}],
    ['with them, and with what commands ask for', { ...EVERYTHING, needsCertificate: true }],
  ])('passes a public linter, %s', async (_, changes) => {
    const file = join(temporaryFolder(), 'openapi.json')
    writeFileSync(file, (await ask(await startApi(changes), '/openapi.json')).body)
    const linter = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
    const rules = join(import.meta.dirname, 'redocly.yaml')
    // Without network: telemetry and update checks are off.
    const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const options = { env, cwd: temporaryFolder() }
    const linting = promisify(execFile)(process.execPath, [linter, 'lint', file, '--config', rules], options)
    await expect(linting).resolves.toMatchObject({ stderr: expect.stringContaining('Your API description is valid') })
  })

  it('says of each parameter what it is for, and what counts where it is left out', () => {
    const parameters = operationsOf(contract).flatMap(({ operation }) => operation.parameters ?? [])
    expect(parameters.filter(({ description }) => !description)).toEqual([])
    const listing = contract.paths['/payment/v1/webhook']?.get?.parameters ?? []
    expect(listing.map(({ name, schema }) => [name, schema.default])).toEqual([
      ['dataInicio', undefined],
      ['dataFim', undefined],
      ['paginacao.paginaAtual', 0],
      ['paginacao.itensPorPagina', 100],
    ])
  })

  it('says truly which scope leads where', { timeout: 60_000 }, async () => {
    const clients = await Promise.all(SCOPES.map(async (scope) => [scope, await asClient(api, [scope])] as const))
    for (const { method, path, operation } of operationsOf(contract)) {
      const needed = operation.security.flatMap((one) => one.client ?? [])
      const isOpen = operation.security.every((one) => !('operator' in one))
      for (const [scope, { authorization }] of clients) {
        const { status } = await ask(api, concrete(path), { method, authorization })
        const name = api.options.identity.scopeNames.nameOf(scope)
        const isLetIn = isOpen || needed.includes(name)
        expect([method, path, name, status === 403]).toEqual([method, path, name, !isLetIn])
      }
      if (!isOpen) expect((await ask(api, concrete(path), { method, authorization: null })).status).toBe(401)
    }
  })
})

describe('every path', () => {
  it('answers a method that is not its own with 405, and says which are', { timeout: 60_000 }, async () => {
    for (const [path, item] of Object.entries(contract.paths)) {
      const others = METHODS.filter((method) => !(method.toLowerCase() in item))
      for (const method of 'get' in item ? others : [...others, 'HEAD']) {
        for (const spelling of [concrete(path), `${concrete(path).toUpperCase()}/`]) {
          expect([method, spelling, (await ask(api, spelling, { method })).status]).toEqual([method, spelling, 405])
        }
      }
    }
  })

  it('tells untrusted callers below /v1 nothing of its methods', async () => {
    for (const path of Object.keys(contract.paths).filter((path) => path.startsWith('/v1/'))) {
      const { status, headers } = await ask(api, concrete(path), { method: 'PUT', authorization: null })
      expect([path, status, headers.allow]).toEqual([path, 401, undefined])
    }
  })

  it('answers HEAD as GET, without the body', async () => {
    const event = (await api.store.storeCallback(aCallback())).eventIds[0] as string
    for (const [path, item] of Object.entries(contract.paths)) {
      if (!('get' in item)) continue
      const target = `${concrete(path).replace('evt_9_0123456789', event)}${path === '/payment/v1/webhook' ? PERIOD : ''}`
      const [get, head] = [await ask(api, target), await ask(api, target, { method: 'HEAD' })]
      expect([path, head.status, head.body, changing(head.headers)]).toEqual([
        path,
        get.status,
        '',
        changing(get.headers),
      ])
    }
  })

  it('takes no body that is too long, or of another type, or encoded', async () => {
    const long = JSON.stringify({ x: 'x'.repeat(70_000) })
    for (const { method, path, operation } of operationsOf(contract)) {
      if (operation.requestBody === undefined) continue
      const statusOf = async (body: string, headers: Record<string, string>) =>
        (await ask(api, concrete(path), { method, body, headers })).status
      const isToken = /\/oauth\/|\/authorize$/.test(path)
      const json = { 'content-type': 'application/json' }
      expect([
        path,
        await statusOf(long, json),
        await statusOf('{}', { 'content-type': 'text/plain' }),
        await statusOf('{}', { ...json, 'content-encoding': 'gzip' }),
        await statusOf('{', json),
      ]).toEqual([path, 413, isToken ? 400 : 415, 415, 400])
    }
  })

  it('tells of a failure of its own nothing but that it failed, and the request’s id', async () => {
    const failing = new Proxy({}, { get: () => () => Promise.reject(new TypeError('secret inner words')) })
    const broken = await startApi({ store: { ...mapOf(api.store, failing) } })
    for (const { method, path, operation } of operationsOf(contract)) {
      if (!path.startsWith('/v1/') || WITHOUT_STORE.test(path)) continue
      const [[type, { example }] = ['', {}]] = Object.entries(operation.requestBody?.content ?? {})
      const sent = example === undefined ? {} : { headers: { 'content-type': type }, body: JSON.stringify(example) }
      const answer = await ask(broken, concrete(path), { method, ...sent })
      expect([method, path, answer.status, answer.body.includes('inner words')]).toEqual([method, path, 500, false])
      const { requestId } = JSON.parse(answer.body) as { requestId: string }
      expect(broken.lines.filter((line) => line.event === 'api.failed' && line.requestId === requestId)).toHaveLength(1)
    }
  })
})

const PERIOD = '?dataInicio=2020-01-01T00:00:00Z&dataFim=2099-01-01T00:00:00Z'

function changing(headers: NodeJS.Dict<string | string[]>) {
  // Node leaves the coding of a stream out of the answer to HEAD (RFC 9112 section 6.1).
  const { date, 'x-request-id': id, 'transfer-encoding': coding, ...rest } = headers
  return rest
}

function mapOf<T extends object>(store: T, other: object): T {
  return Object.fromEntries(Object.keys(store).map((name) => [name, other[name as never]])) as T
}

describe('a request', () => {
  it('has an id of its own unless it brings a short and plain one', async () => {
    const idOf = async (id?: string) =>
      (await ask(api, '/healthz', id === undefined ? {} : { headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await idOf('trace-1.A_b')).toBe('trace-1.A_b')
    const ids = [
      await idOf(),
      await idOf(),
      await idOf(''),
      await idOf('a b'),
      await idOf('x'.repeat(65)),
      await idOf('é'),
    ]
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{10}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('the judge of all answers', () => {
  const answer = {
    method: 'GET',
    target: '/healthz',
    requestHeaders: {},
    status: 200,
    headers: {
      'x-request-id': 'req_0123456789',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
    },
    body: '{"status":"alive","version":"1"}',
  }
  const original = {
    target: '/v1/events/evt_1_0000000000/original',
    body: '<html>',
    headers: {
      ...answer.headers,
      'content-type': 'text/html',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  }
  const judge = (changes: Partial<typeof answer>) =>
    contractFrom(JSON.stringify(contract)).judge({ ...answer, ...changes })

  it.each<[string, ApiChanges]>([
    ['of another configuration', { kinds: ['charge'] }],
    ['with client certificates', { needsCertificate: true }],
    ['with what commands ask for', EVERYTHING],
    ['with open metrics', { metrics: { ...EVERYTHING.metrics, isOpen: true } }],
  ])('has the document of the API itself, %s', async (_, changes) => {
    await contractOf(await startApi())
    for (const one of [await startApi(changes), await startApi(changes)])
      expect((await contractOf(one))?.api).toEqual(await contractAt(one))
  })

  it('has the document of the gateway itself', async () => {
    const kinds = { payment: { path: '/callbacks/payment' } }
    for (const site of [await createSite(), await createSite({ callbacks: { ...BASE_CALLBACKS, kinds } })]) {
      const gateway = await startTestGateway(site)
      expect((await contractOf(gateway.api))?.api).toEqual(await contractAt(gateway.api))
    }
  })

  it('takes what is documented', () => {
    expect(() => judge({})).not.toThrow()
    expect(() => judge(original)).not.toThrow()
  })

  it.each([
    ['a member that is not documented', { body: '{"status":"alive","version":"1","more":1}' }, /additional properties/],
    ['a member that is missing', { body: '{"status":"alive"}' }, /must have required property/],
    ['another value', { body: '{"status":"dead","version":"1"}' }, /must be equal to constant/],
    ['a status that is not documented', { status: 202 }, /documented are 200,400,421,500/],
    ['a path that is not documented', { target: '/health' }, /nothing is documented at this path/],
    ['a method that is not documented', { method: 'POST' }, /this method is not documented/],
    ['405 without Allow', { method: 'POST', status: 405 }, /Allow is undefined, not GET, HEAD/],
    ['HEAD with a body', { method: 'HEAD' }, /HEAD was answered with a body/],
    [
      'another content type',
      { headers: { ...answer.headers, 'content-type': 'text/html' } },
      /content type is text\/html/,
    ],
    [
      'a header that is not as documented',
      { ...original, headers: { ...original.headers, 'content-disposition': 'inline' } },
      /the header content-disposition is not as documented: data must be equal to constant/,
    ],
    [
      'a header that is documented as always there, and is not',
      { ...original, headers: { ...original.headers, 'content-security-policy': undefined as never } },
      /the header content-security-policy is missing/,
    ],
    [
      'a content type that is none',
      { ...original, headers: { ...original.headers, 'content-type': 'html' } },
      /html is no media type/,
    ],
    ['no request id', { headers: { ...answer.headers, 'x-request-id': '' } }, /no request id/],
    ['what may be cached', { headers: { ...answer.headers, 'cache-control': 'public' } }, /cache-control is public/],
  ])('refuses %s', (_, changes, words) => {
    expect(() => judge(changes)).toThrow(words)
  })
})
