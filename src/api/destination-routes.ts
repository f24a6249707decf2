import express, { type RequestHandler, Router } from 'express'
import { type Destination, signingSecrets } from '../domain/destination.ts'
import { PortariaError } from '../domain/errors.ts'
import { numberedId, parseNumberedId } from '../domain/public-id.ts'
import type { Backlog, Store, StoreReader } from '../domain/store.ts'
import { type DestinationDefaults, parseChanges, parseDestination, parseRotation } from './destination-schema.ts'
import { sendJson } from './event-routes.ts'
import { isoOrNull } from './event-text.ts'
import { QueryReader } from './query.ts'

/** The last attempts of a destination, as the gateway has seen them since it started. */
export interface SendingStats {
  readonly attempts: number
  readonly successRate: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly sending: number
}

/** What came of a test event. */
export interface TestAnswer {
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  readonly answer: Uint8Array
}

export interface DestinationRoutesOptions {
  readonly store: Store
  readonly kinds: readonly string[]
  readonly defaults: DestinationDefaults
  readonly newSecret: () => string
  /** Throws when the URL's address is forbidden: the guard that delivering has too. */
  readonly checkUrl: (url: string) => Promise<unknown>
  readonly testDestination: (destination: Destination) => Promise<TestAnswer>
  /** How sending to it goes; null when nothing is sent, because no gateway runs. */
  readonly statsOf: (destinationId: number) => SendingStats | null
  /** Takes effect before the request is answered. */
  readonly onChanged: () => Promise<void>
  readonly now: () => number
}

/** `/v1/destinations` */
export function destinationRoutes(options: DestinationRoutesOptions): Router {
  const { store, onChanged } = options
  const router = Router()
  const change = async (changed: Promise<Destination>) => {
    const destination = await changed
    await onChanged()
    return destination
  }

  router.get('/v1/destinations', async function listDestinations(request, response) {
    const { after, limit } = readPage(request.url)
    const [all, backlog] = await Promise.all([store.listDestinations(), store.countBacklog()])
    const behind = all.filter(({ id }) => id > after)
    const page = behind.slice(0, limit)
    const data = page.map((d) => ({ ...destinationView(d), ...backlogView(backlog, d.id) }))
    // A page without any leaves the reader where it is.
    const last = page.at(-1)?.id ?? after
    const next = last === 0 ? null : numberedId('dst', last)
    sendJson(response, JSON.stringify({ data, next, more: behind.length > limit }))
  })

  router.post(
    '/v1/destinations',
    requireType(JSON_TYPE),
    readJson,
    async function createDestination(request, response) {
      const settings = parseDestination(request.body, options)
      await options.checkUrl(settings.url)
      const destination = await change(store.createDestination(settings, options.now()))
      response.status(201).location(`/v1/destinations/${numberedId('dst', destination.id)}`)
      // The one time that the secret is shown without being asked for.
      sendJson(response, JSON.stringify({ ...destinationView(destination), secret: destination.secrets[0] }))
    },
  )

  router.get('/v1/destinations/:id', async function showDestination(request, response) {
    sendJson(response, JSON.stringify(destinationView(await findDestination(store, request.params.id))))
  })

  router.get('/v1/destinations/:id/stats', async function showStats(request, response) {
    const destination = await findDestination(store, request.params.id)
    const backlog = backlogView(await store.countBacklog(), destination.id)
    const stats = options.statsOf(destination.id)
    sendJson(response, JSON.stringify({ ...statsView(destination, stats), ...backlog }))
  })

  router.get('/v1/destinations/:id/secret', async function showSecret(request, response) {
    const destination = await findDestination(store, request.params.id)
    sendJson(response, JSON.stringify({ secrets: signingSecrets(destination, options.now()) }))
  })

  router.patch(
    '/v1/destinations/:id',
    function sayWhatIsAccepted(_request, response, next) {
      response.setHeader('accept-patch', PATCH_TYPES.join(', '))
      next()
    },
    requireType(...PATCH_TYPES),
    readJson,
  )
  router.patch('/v1/destinations/:id', async function updateDestination(request, response) {
    const { id } = await findDestination(store, request.params.id)
    const changes = parseChanges(request.body, options)
    if (changes.url !== undefined) await options.checkUrl(changes.url)
    const changed = await change(store.updateDestination(id, changes, options.now()))
    sendJson(response, JSON.stringify(destinationView(changed)))
  })

  router.post('/v1/destinations/:id/rotate-secret', requireTypeOfBody, readJson)
  router.post('/v1/destinations/:id/rotate-secret', async function rotateSecret(request, response) {
    const { id } = await findDestination(store, request.params.id)
    const rotation = parseRotation(request.body, options)
    const destination = await change(store.rotateSecret(id, rotation))
    // As when it was made: the one time that it is shown without being asked for.
    sendJson(response, JSON.stringify({ ...destinationView(destination), secret: rotation.secret }))
  })

  router.delete('/v1/destinations/:id', async function deleteDestination(request, response) {
    const { id } = await findDestination(store, request.params.id)
    await change(store.deleteDestination(id))
    response.status(204).end()
  })

  router.post('/v1/destinations/:id/pause', async function pauseDestination(request, response) {
    const { id } = await findDestination(store, request.params.id)
    sendJson(
      response,
      JSON.stringify(destinationView(await change(store.pauseDestination(id, 'paused by an operator')))),
    )
  })

  router.post('/v1/destinations/:id/resume', async function resumeDestination(request, response) {
    const { id } = await findDestination(store, request.params.id)
    sendJson(response, JSON.stringify(destinationView(await change(store.resumeDestination(id)))))
  })

  router.post('/v1/destinations/:id/test', async function testDestination(request, response) {
    const destination = await findDestination(store, request.params.id)
    const { status, error, durationMs, answer } = await options.testDestination(destination)
    const text = Buffer.from(answer).toString('utf8')
    sendJson(response, JSON.stringify({ ok: error === null, status, error, durationMs, answer: text }))
  })

  return router
}

const JSON_TYPE = 'application/json'
/** RFC 7396. */
const PATCH_TYPES = ['application/merge-patch+json', JSON_TYPE]

const readJson = express.json({ limit: '64kb', inflate: false, type: PATCH_TYPES })

/** The body parser would pass over any other type as if there were no body. */
function requireType(...types: string[]): RequestHandler {
  return function requireJson(request, _response, next) {
    const isJson = types.includes(request.is(types) || '')
    next(isJson ? undefined : Object.assign(new Error('the body is not JSON'), { status: 415 }))
  }
}

/** Where no body is needed. */
const requireTypeOfBody: RequestHandler = function requireTypeOfBody(request, response, next) {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || Number(length) === 0)) return next()
  requireType(JSON_TYPE)(request, response, next)
}

function readPage(url: string): { after: number; limit: number } {
  const query = new QueryReader(url, ['after', 'limit'])
  const limit = query.limit()
  const text = query.text('after')
  const after = text === undefined ? 0 : parseNumberedId('dst', text)
  if (after === null) query.reject('after: an id such as dst_1')
  query.done()
  return { after: after ?? 0, limit }
}

/**
 * By id, or by name; of those that were removed, where they count too, the last one of that name.
 * @throws PortariaError `not_found`
 */
export async function findDestination(
  store: StoreReader,
  idOrName: string,
  options: { removed?: boolean } = {},
): Promise<Destination> {
  const id = parseNumberedId('dst', idOrName)
  const all = await store.listDestinations(options)
  const found = all.findLast((d) => (id === null ? d.name === idOrName : d.id === id))
  if (found === undefined) {
    throw new PortariaError(
      'not_found',
      `there is no destination ${idOrName.slice(0, 64)}: portaria destinations list shows those there are`,
    )
  }
  return found
}

function statsView(destination: Destination, stats: SendingStats | null) {
  const none = { attempts: 0, successRate: null, p50Ms: null, p95Ms: null, p99Ms: null, sending: 0 }
  const { attempts, successRate, p50Ms, p95Ms, p99Ms, sending } = stats ?? none
  return {
    id: numberedId('dst', destination.id),
    name: destination.name,
    state: destination.state,
    circuit: destination.circuitOpenedAt === null ? 'closed' : 'open',
    circuitOpenedAt: isoOrNull(destination.circuitOpenedAt),
    attempts,
    successRate,
    latencyMs: { p50: p50Ms, p95: p95Ms, p99: p99Ms },
    sending,
  }
}

/** What waits for a destination, and since when. */
export function backlogView(backlog: readonly Backlog[], destinationId: number) {
  const row = backlog.find((b) => b.destinationId === destinationId)
  return {
    waiting: row?.waiting ?? 0,
    blocked: row?.blocked ?? 0,
    oldestWaitingSince: isoOrNull(row?.oldestAt ?? null),
  }
}

/** Values of headers and secrets are never shown with the rest. */
export function destinationView(destination: Destination) {
  return {
    id: numberedId('dst', destination.id),
    name: destination.name,
    url: destination.url,
    state: destination.state,
    pauseReason: destination.pauseReason,
    kinds: destination.kinds,
    environments: destination.environments,
    subjects: destination.subjects,
    format: destination.format,
    timeoutMs: destination.timeoutMs,
    concurrency: destination.concurrency,
    rate: destination.rate,
    scheduleMs: destination.schedule,
    order: destination.order,
    onExhausted: destination.onExhausted,
    circuit: destination.circuitOpenedAt === null ? 'closed' : 'open',
    hasAuthorities: destination.authorities !== null,
    headers: destination.headers.map(([name]) => name),
    previousSecretUntil: isoOrNull(destination.previousSecretUntil),
    origin: destination.origin,
    owner: destination.owner,
    createdAt: new Date(destination.createdAt).toISOString(),
  }
}
