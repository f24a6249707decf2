import express, { type RequestHandler, Router } from 'express'
import type { Destination } from '../domain/destination.ts'
import { PortariaError } from '../domain/errors.ts'
import { numberedId, parseNumberedId } from '../domain/public-id.ts'
import type { Backlog, Store, StoreReader } from '../domain/store.ts'
import { type DestinationDefaults, parseDestination } from './destination-schema.ts'
import { sendJson } from './event-routes.ts'
import { isoOrNull } from './event-text.ts'

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

  router.get('/v1/destinations', async function listDestinations(_request, response) {
    const [destinations, backlog] = await Promise.all([store.listDestinations(), store.countBacklog()])
    const data = destinations.map((d) => ({ ...destinationView(d), ...backlogView(backlog, d.id) }))
    sendJson(response, JSON.stringify({ data }))
  })

  router.post(
    '/v1/destinations',
    requireJson,
    express.json({ limit: '64kb', inflate: false }),
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
    const { secrets } = await findDestination(store, request.params.id)
    sendJson(response, JSON.stringify({ secrets }))
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

/** The body parser would pass over any other type as if there were no body. */
const requireJson: RequestHandler = function requireJson(request, _response, next) {
  const isJson = request.is('application/json') === 'application/json'
  next(isJson ? undefined : Object.assign(new Error('the body is not JSON'), { status: 415 }))
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
    timeoutMs: destination.timeoutMs,
    concurrency: destination.concurrency,
    rate: destination.rate,
    scheduleMs: destination.schedule,
    order: destination.order,
    onExhausted: destination.onExhausted,
    circuit: destination.circuitOpenedAt === null ? 'closed' : 'open',
    hasAuthorities: destination.authorities !== null,
    headers: destination.headers.map(([name]) => name),
    origin: destination.origin,
    createdAt: new Date(destination.createdAt).toISOString(),
  }
}
