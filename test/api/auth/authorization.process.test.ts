import { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createCalls } from '../../../src/api/calls.ts'
import { queryOf } from '../../../src/api/http/query.ts'
import { operationsOf } from '../../../src/api/operations.ts'
import { ENVIRONMENTS, type Environment } from '../../../src/domain/realm.ts'
import { SCOPES, type Scope, scopeNames } from '../../../src/domain/scopes.ts'
import { ABOUT, ask, askJson, type RunningApi, startApi } from '../api.ts'
import { ACCESS, ROWS, type Row } from './authorization-table.ts'
import { createWorld, type Party, type Thing } from './authorization-world.ts'

/** Some seconds of work: on a busy machine much longer. */
const TIMEOUT_MS = 180_000

/** Every operation is there, those of the control socket and of /metrics too. */
function startWholeApi() {
  return startApi({
    about: ABOUT,
    reload: async () => ({ renewed: [], problems: [] }) as never,
    reloadConfiguration: async () => ({ file: '', renewed: [], problems: [], needRestart: [] }),
    metrics: { isOpen: false, contentType: 'text/plain', text: async () => 'portaria 1\n' },
    testDestination: async () => ({ status: 200, error: null, durationMs: 1, answer: Buffer.from('') }),
  })
}

/** Thousands of requests: a connection for each would take longer than they do. */
function anAgent(): Agent {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return agent
}

interface Principal {
  readonly id: string
  readonly environment: Environment
  /** The Authorization header with a token that has these scopes. */
  readonly as: (scopes: readonly Scope[]) => Promise<string>
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
}

/** A way to the operations: a request with these scopes, as the client. */
type Way = (
  asked: Asked,
  by: { readonly principal: Principal; readonly scopes: readonly Scope[] },
) => Promise<{ readonly status: number; readonly body: string }>

function overHttp(api: RunningApi): Way {
  const agent = anAgent()
  return async ({ method, path, body }, { principal, scopes }) => {
    const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return ask(api, path, { method, agent, authorization: await principal.as(scopes), ...json })
  }
}

/** As a page asks: by the id of the operation. */
function byId(api: Awaited<ReturnType<typeof startApi>>): Way {
  const { identity, answers, log } = api.options
  const operations = operationsOf({ ...api.options, channel: 'page' })
  const calls = createCalls(operations, { scopeNames: identity.scopeNames, answers, log })
  return async ({ method, path, body }, { principal: { id, environment }, scopes }) => {
    const [segments = []] = [path.split('?')[0]?.split('/')]
    const isAt = (pattern: string) =>
      pattern.split('/').length === segments.length &&
      pattern.split('/').every((part, index) => part.startsWith(':') || part === segments[index])
    const found = operations.find((one) => one.method === method.toLowerCase() && isAt(one.path))
    const names = found?.path.split('/') ?? []
    const params = Object.fromEntries(names.map((part, index) => [part.slice(1), segments[index] ?? '']))
    const principal = {
      ...({ kind: 'client', id, environment, scopes: new Set(scopes), generation: 0, isBound: false } as const),
    }
    const ask = calls.askAs({ principal, requestId: 'req_test' })
    const { status, text } = await ask(found?.id as 'listEvents', { params, query: queryOf(path) as never, body })
    return { status, body: text }
  }
}

/** A client that has every scope, with a token for each set of them. */
async function aPrincipal(
  api: RunningApi & Awaited<ReturnType<typeof startApi>>,
  name: string,
  environment: Party['environment'],
): Promise<Principal> {
  const { client } = await api.clients.create({ name, environment, scopes: SCOPES })
  const tokens = new Map<string, Promise<string>>()
  async function as(scopes: readonly Scope[]): Promise<string> {
    const key = scopes.join()
    const token = tokens.get(key) ?? api.options.identity.tokens.issue(client, scopes, null)
    tokens.set(key, token)
    return `Bearer ${await token}`
  }
  return { id: client.id, environment, as }
}

const MADE_UP: Readonly<Record<string, string>> = {
  '/v1/events/{id}': 'evt_1_0000000000',
  '/v1/deliveries/{id}': 'dlv_1',
  '/v1/clients/{id}': 'cli_0000000000',
}
const madeUpPath = (path: string) => {
  const known = Object.entries(MADE_UP).find(([template]) => path.startsWith(template))
  return path.replace(/\{\w+\}/, known?.[1] ?? 'nothing-1')
}

/** None, each scope alone, all together, and all but those that lead there. */
function setsFor(access: (typeof ACCESS)[string]): (readonly Scope[])[] {
  const others = SCOPES.filter((scope) => typeof access === 'string' || !access.includes(scope))
  return [[], ...SCOPES.map((scope) => [scope]), SCOPES, others]
}

it('every operation of the document lets in those whose token has one of its scopes, and tells the others which', {
  timeout: TIMEOUT_MS,
}, async () => {
  const api = await startWholeApi()
  const { paths } = await askJson<{ paths: Record<string, object> }>(api, '/openapi.json')
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.sort()).toEqual(Object.keys(ACCESS).sort())

  const { as } = await aPrincipal(api, 'shop', 'production')
  const agent = anAgent()
  const wrong: unknown[] = []
  for (const [operation, access] of Object.entries(ACCESS)) {
    const [method = '', path = ''] = operation.split(' ')
    const statusOf = (authorization?: string | null) =>
      ask(api, madeUpPath(path), { method, agent, ...(authorization !== undefined && { authorization }) })
    const isRefused = ({ status }: { status: number }) => status === 401 || status === 403
    // It fails as a token request at these: there is no client in it.
    const isToken = /\/(oauth\/token|v1\/authorize)$/.test(path)
    const untrusted = await statusOf(null)
    if ((untrusted.status === 401) !== (access !== 'everybody') && !isToken)
      wrong.push([operation, 'nobody', untrusted.status])
    const operator = await statusOf()
    if (isRefused(operator) && !isToken) wrong.push([operation, 'operator', operator.status])
    for (const scopes of isToken ? [] : setsFor(access)) {
      const answer = await statusOf(await as(scopes))
      const isLetIn = access === 'everybody' || (access !== 'operator' && access.some((one) => scopes.includes(one)))
      const words =
        isLetIn || typeof access === 'string' ? '' : `, scope="${scopeNames('svc').nameOf(access[0] as Scope)}"`
      const expected = isLetIn ? null : [403, `Bearer error="insufficient_scope"${words}`]
      const seen = isRefused(answer) ? [answer.status, answer.headers['www-authenticate']] : null
      if (JSON.stringify(seen) !== JSON.stringify(expected)) wrong.push([operation, scopes, seen, expected])
    }
  }
  expect(wrong).toEqual([])
})

it('a page and a command have the same access to every operation as a request', { timeout: TIMEOUT_MS }, async () => {
  const api = await startWholeApi()
  const { identity, answers, log } = api.options
  const calls = createCalls(operationsOf(api.options), { scopeNames: identity.scopeNames, answers, log })
  const principal = await aPrincipal(api, 'shop', 'production')
  const [way, requestId] = [byId(api), 'req_test']
  const wrong: unknown[] = []
  for (const [operation, access] of Object.entries(ACCESS)) {
    const [method = '', path = ''] = operation.split(' ')
    // What a stream or a token request needs, only HTTP has.
    if (/\/(stream|v1\/authorize)$|\/oauth\//.test(path)) continue
    const asked = { method, path: madeUpPath(path) }
    for (const scopes of setsFor(access)) {
      const isLetIn = access === 'everybody' || (access !== 'operator' && access.some((one) => scopes.includes(one)))
      const { status, body } = await way(asked, { principal, scopes })
      const isRefused = status === 403 && body.includes('"insufficient_scope"')
      if (isRefused === isLetIn) wrong.push([operation, scopes, status])
    }
    const operator = { principal: { kind: 'operator' }, requestId } as const
    const { status, text } = await calls.askAt(operator, { method, target: asked.path, body: undefined })
    if (status === 403 || status === 500 || text.includes('does not serve')) wrong.push([operation, 'operator', text])
  }
  expect(wrong).toEqual([])
})

/** How an operation names an object, where it is not by its path alone. */
const REQUESTS: Readonly<Record<string, (thing: Thing, own: OwnThings) => { path?: string; body?: object }>> = {
  'GET /v1/events environment': ({ id }) => ({ path: `/v1/events?environment=${id}` }),
  'GET /v1/subjects environment': ({ id }) => ({ path: `/v1/subjects?environment=${id}` }),
  'GET /v1/events/stream environment': ({ id }) => ({ path: `/v1/events/stream?environment=${id}` }),
  'GET /v1/events/{id} destination': (_, own) => ({ path: `/v1/events/${own.event}` }),
  'GET /v1/events/{id}/deliveries destination': (_, own) => ({ path: `/v1/events/${own.event}/deliveries` }),
  'POST /v1/events/{id}/unmask event': ({ id }) => ({ path: `/v1/events/${id}/unmask`, body: { reason: 'asked' } }),
  'POST /v1/events/{id}/replay event': ({ id }, own) => ({
    path: `/v1/events/${id}/replay?destination=${own.destination}`,
  }),
  'POST /v1/events/{id}/replay destination': ({ id }, own) => ({
    path: `/v1/events/${own.event}/replay?destination=${id}`,
  }),
  'POST /v1/consumers/{name}/batches environment': ({ id }) => ({
    path: '/v1/consumers/fresh/batches',
    body: { filter: { environment: id } },
  }),
  'POST /v1/consumers/{name}/ack consumer': ({ id }) => ({ body: { batch: id.split(' ')[2] } }),
  'POST /v1/consumers/{name}/seek consumer': () => ({ body: { position: 'start' } }),
  'POST /v1/replays destination': ({ id }) => ({ body: { destination: id } }),
  'POST /v1/replays environment': ({ id }, own) => ({
    body: { destination: own.destination, filter: { environment: id } },
  }),
  'GET /v1/gaps environment': ({ id }) => ({ path: `/v1/gaps?environment=${id}` }),
  'POST /v1/expected environment': ({ id }) => ({ body: { kind: 'payment', environment: id, subject: '1000001' } }),
  'POST /v1/service/expected nothing': () => ({
    body: { kind: 'payment', environment: 'production', subjects: ['1000001'] },
  }),
  'POST /v1/alarms/mutes nothing': () => ({ body: { code: 'all', until: '2026-01-16' } }),
  'DELETE /v1/alarms/mutes/{id} nothing': () => ({ path: '/v1/alarms/mutes/mut_0123456789' }),
  'POST /v1/certificates/trust/diff nothing': () => ({ body: { environment: 'production', pem: 'PEM' } }),
  'POST /v1/destinations environment': ({ id }) => ({
    body: { name: `new-${id}`, url: 'https://new.example/', environments: [id] },
  }),
  'PATCH /v1/destinations/{id} destination': () => ({ body: { url: 'https://stolen.example/' } }),
  'PATCH /v1/destinations/{id} environment': ({ id }, own) => ({
    path: `/v1/destinations/${own.destination}`,
    body: { environments: [id] },
  }),
  'POST /registration/v1/webhook registration': (thing) => ({ body: { webhookUrl: thing.url } }),
  'PUT /payment/v1/webhook payment webhook': ({ id }) => ({ body: { url: id } }),
  'PUT /charges/v1/charge/{id}/metadata charge route': () => ({ body: { notification_url: 'https://new.example/' } }),
  'PUT /charges/v1/charge/{id}/metadata environment': ({ id }) => ({
    path: `/charges/v1/charge/77/metadata?environment=${id}`,
    body: { custom_id: 'a' },
  }),
  'PUT /charges/v1/subscription/{id}/metadata subscription route': () => ({
    body: { notification_url: 'https://new.example/' },
  }),
  'PUT /charges/v1/subscription/{id}/metadata environment': ({ id }) => ({
    path: `/charges/v1/subscription/77/metadata?environment=${id}`,
    body: { custom_id: 'a' },
  }),
  'DELETE /payment/v1/webhook payment webhook': ({ id }) => ({ body: { url: id } }),
  'GET /v1/deliveries delivery': () => ({ path: '/v1/deliveries?limit=1000' }),
  'GET /payment/v1/webhook payment webhook': () => ({
    path: '/payment/v1/webhook?dataInicio=2020-01-01T00:00:00Z&dataFim=2099-01-01T00:00:00Z',
  }),
}

/** Of one's own, beside the object. */
const NEEDS_DESTINATION = new Set([
  ...['POST /v1/events/{id}/replay event', 'POST /v1/replays environment', 'PATCH /v1/destinations/{id} environment'],
])

async function aDestinationOf(party: Party, world: ReturnType<typeof createWorld>): Promise<string> {
  return (await world.make('destination', party))?.id ?? ''
}

interface OwnThings {
  readonly event: string
  readonly destination: string
}

function requestOf({ operation, kind }: Row, thing: Thing, own: OwnThings): Asked {
  const [method = '', template = ''] = operation.split(' ')
  const { path, body } = REQUESTS[`${operation} ${kind}`]?.(thing, own) ?? {}
  const named = kind === 'consumer' ? consumerPath(template, thing) : template.replace(/\{\w+\}/, thing.id)
  return { method, path: path ?? named, ...(body && { body }) }
}

function consumerPath(template: string, { id }: Thing): string {
  const [name = '', owner] = id.split(' ')
  return template.includes('{') ? `${template.replace('{name}', name)}?owner=${owner}` : template
}

/** What is wrong with the answers to an operation upon the objects of all parties. */
async function judgeRow(
  row: Row,
  scopes: readonly Scope[],
  expected: string,
  { way, world, parties, principal }: Judging,
) {
  const { operation, kind, isList } = row
  const isLook = operation.startsWith('GET ')
  const [ownParty] = parties
  const ownEvent = await world.standingOf('event', ownParty as Party)
  const mayChangeAll = scopes.includes('operations.write')
  const statuses: string[] = []
  const wrong: unknown[] = []
  let body = ''
  for (const party of parties) {
    const thing = await (isLook ? world.standingOf(kind, party) : world.make(kind, party))
    if (thing === null) {
      statuses.push('-')
      continue
    }
    const own = {
      event: ownEvent?.id ?? '',
      destination: NEEDS_DESTINATION.has(`${operation} ${kind}`) ? await aDestinationOf(ownParty as Party, world) : '',
    }
    const sendsAgain = kind === 'delivery' && scopes.includes('support.replay')
    const mayChange = isLook || mayChangeAll || party.name === 'own' || sendsAgain
    const before = mayChange ? null : await thing.look()
    const answer = await way(requestOf(row, thing, own), { principal, scopes })
    statuses.push(String(answer.status))
    body += answer.body
    if (!mayChange && !isDeepStrictEqual(await thing.look(), before))
      wrong.push([operation, kind, scopes.join(), `what is ${party.name} was changed`])
    const shown = isList ? await Promise.all(parties.map((one) => world.standingOf(kind, one))) : [thing]
    for (const [index, one] of shown.entries()) {
      const isOwn = (isList ? parties[index] : party)?.name === 'own'
      const hidden = [...(one?.headers ?? []), ...(isOwn || mayChangeAll ? [] : (one?.secrets ?? []))]
      if (hidden.some((value) => answer.body.includes(value)))
        wrong.push([operation, kind, scopes.join(), 'what is hidden was shown'])
    }
    if (operation.includes('/replays')) await world.endReplays()
    if (isList) break
  }
  if (!isLook) await world.sweep()
  const seen = isList ? (await visible(body, row, { world, parties })).join(' ') : statuses.join(' ')
  if (seen !== expected) wrong.push([operation, kind, scopes.join(), seen, expected])
  return wrong
}

interface Judging {
  readonly way: Way
  readonly world: ReturnType<typeof createWorld>
  readonly parties: readonly Party[]
  readonly principal: Principal
}

/** Whose objects an answer names. */
async function visible(body: string, { kind }: Row, { world, parties }: Pick<Judging, 'world' | 'parties'>) {
  const names: string[] = []
  for (const party of parties) {
    const thing = await world.standingOf(kind, party)
    if (thing !== null && body.includes(`"${thing.id.split(' ')[0]}"`)) names.push(party.name)
  }
  return names
}

const WAYS = [
  ['over HTTP', overHttp, ROWS],
  // A page follows streams over HTTP.
  ['as a page asks', byId, ROWS.filter(({ operation }) => !operation.endsWith('/stream'))],
] as const

it.each(WAYS)(
  '%s, every client reaches its own objects and no others, unless an operator scope leads to them',
  {
    timeout: TIMEOUT_MS,
  },
  async (_, wayTo, rows) => {
    const scoped = Object.entries(ACCESS).filter(([, access]) => Array.isArray(access))
    expect([...new Set(ROWS.map(({ operation }) => operation))].sort()).toEqual(scoped.map(([name]) => name).sort())

    const api = await startWholeApi()
    const world = createWorld(api)
    const clients = {
      production: [await aPrincipal(api, 'shop', 'production'), await aPrincipal(api, 'till', 'production')],
      sandbox: [await aPrincipal(api, 'trial-shop', 'sandbox'), await aPrincipal(api, 'trial-till', 'sandbox')],
    } as const
    const parties = (environment: Environment, other: Environment): readonly Party[] => [
      { name: 'own', owner: clients[environment][0].id, environment },
      { name: 'foreign', owner: clients[environment][1].id, environment },
      { name: 'elsewhere', owner: clients[other][0].id, environment: other },
      { name: 'house', owner: null, environment },
    ]
    const sides = [parties('production', 'sandbox'), parties('sandbox', 'production')]
    await world.prepare(sides.flat())
    const way = wayTo(api)
    const wrong: unknown[] = []
    for (const [index, environment] of ENVIRONMENTS.entries()) {
      const judging = { way, world, parties: sides[index] as readonly Party[], principal: clients[environment][0] }
      for (const row of rows) {
        const isOf = (scope: Scope) =>
          row.scope === undefined
            ? ROWS.every(
                (other) => other.operation !== row.operation || other.kind !== row.kind || other.scope !== scope,
              )
            : row.scope === scope
        for (const scope of (ACCESS[row.operation] as readonly Scope[]).filter(isOf)) {
          const sets = [[scope], [scope, 'operations.read'], [scope, 'operations.write']] as const
          const different = [...sets.entries()].filter(([index, scopes]) => index === 0 || scopes[0] !== scopes[1])
          for (const [index, scopes] of different)
            wrong.push(...(await judgeRow(row, scopes, row.expected[index] as string, judging)))
        }
      }
    }
    expect(wrong).toEqual([])
  },
)
