import { type Request, Router } from 'express'
import { type Destination, signingSecrets } from '../../domain/destination.ts'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import type { Store, StoreReader } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { ownerOf, type StoreFor } from '../auth/store-scope.ts'
import { sendJson } from '../http/answer.ts'
import { optionalJsonBody, requiredJsonBody } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import { destinationQuery, PATCH_TYPES } from './destination-operations.ts'
import { type DestinationDefaults, parseChanges, parseDestination, parseRotation } from './settings.ts'
import { backlogView, destinationView, type SendingStats, statsView } from './view.ts'

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
  /** Why nothing may be sent to it now, in words; null: it may. */
  readonly sendBlockedReason: (destination: Destination) => string | null
  /** Takes effect before the request is answered. */
  readonly onChanged: () => Promise<void>
  readonly now: () => number
}

/** `/v1/destinations` */
export function destinationRoutes(options: DestinationRoutesOptions & { readonly storeFor: StoreFor }): Router {
  const { storeFor, onChanged } = options
  const router = Router()
  const find = (request: Request, store: StoreReader = storeFor(request)) =>
    findDestination(store, String(request.params.id), { owner: ownerOf(request) })
  const change = async (changed: Promise<Destination>) => {
    const destination = await changed
    await onChanged()
    return destination
  }

  router.get('/v1/destinations', async function listDestinations(request, response) {
    const { after = 0, limit } = readQuery(request.url, destinationQuery)
    const store = storeFor(request)
    const [all, backlog] = await Promise.all([store.listDestinations(), store.countBacklog()])
    const behind = all.filter(({ id }) => id > after)
    const page = behind.slice(0, limit)
    const data = page.map((d) => ({ ...destinationView(d), ...backlogView(backlog, d.id) }))
    // A page without any leaves the reader where it is.
    const last = page.at(-1)?.id ?? after
    const next = last === 0 ? null : numberedId('dst', last)
    sendJson(response, JSON.stringify({ data, next, more: behind.length > limit }))
  })

  router.post('/v1/destinations', ...requiredJsonBody(), async function createDestination(request, response) {
    const settings = parseDestination(request.body, options)
    await options.checkUrl(settings.url)
    const destination = await change(storeFor(request).createDestination(settings, options.now()))
    response.status(201).location(`/v1/destinations/${numberedId('dst', destination.id)}`)
    // The one time that the secret is shown without being asked for.
    sendJson(response, JSON.stringify({ ...destinationView(destination), secret: destination.secrets[0] }))
  })

  router.get('/v1/destinations/:id', async function showDestination(request, response) {
    sendJson(response, JSON.stringify(destinationView(await find(request))))
  })

  router.get('/v1/destinations/:id/stats', async function showStats(request, response) {
    const store = storeFor(request)
    const destination = await find(request, store)
    const view = statsView(destination, options.statsOf(destination.id), await store.countBacklog())
    sendJson(response, JSON.stringify(view))
  })

  router.get('/v1/destinations/:id/secret', async function showSecret(request, response) {
    // Whoever knows a secret can sign in the gateway's name: looking at one is as much as changing it.
    const destination = await find(request, storeFor(request, 'change'))
    sendJson(response, JSON.stringify({ secrets: signingSecrets(destination, options.now()) }))
  })

  router.patch(
    '/v1/destinations/:id',
    function sayWhatIsAccepted(_request, response, next) {
      response.setHeader('accept-patch', PATCH_TYPES.join(', '))
      next()
    },
    ...requiredJsonBody(PATCH_TYPES),
  )
  router.patch('/v1/destinations/:id', async function updateDestination(request, response) {
    const store = storeFor(request)
    const { id } = await find(request, store)
    const changes = parseChanges(request.body, options)
    if (changes.url !== undefined) await options.checkUrl(changes.url)
    const changed = await change(store.updateDestination(id, changes, options.now()))
    sendJson(response, JSON.stringify(destinationView(changed)))
  })

  router.post('/v1/destinations/:id/rotate-secret', ...optionalJsonBody)
  router.post('/v1/destinations/:id/rotate-secret', async function rotateSecret(request, response) {
    const store = storeFor(request)
    const { id } = await find(request, store)
    const rotation = parseRotation(request.body, options)
    const destination = await change(store.rotateSecret(id, rotation))
    // As when it was made: the one time that it is shown without being asked for.
    sendJson(response, JSON.stringify({ ...destinationView(destination), secret: rotation.secret }))
  })

  router.delete('/v1/destinations/:id', async function deleteDestination(request, response) {
    const store = storeFor(request)
    const { id } = await find(request, store)
    await change(store.deleteDestination(id))
    response.status(204).end()
  })

  router.post('/v1/destinations/:id/pause', async function pauseDestination(request, response) {
    const store = storeFor(request)
    const { id } = await find(request, store)
    const paused = await change(store.pauseDestination(id, 'paused by an operator'))
    sendJson(response, JSON.stringify(destinationView(paused)))
  })

  router.post('/v1/destinations/:id/resume', async function resumeDestination(request, response) {
    const store = storeFor(request)
    const destination = await find(request, store)
    const reason = options.sendBlockedReason(destination)
    // It would be paused again as soon as something is to be sent.
    if (reason !== null) throw new PortariaError('conflict', `${destination.name} stays paused: ${reason}`)
    sendJson(response, JSON.stringify(destinationView(await change(store.resumeDestination(destination.id)))))
  })

  router.post('/v1/destinations/:id/test', async function testDestination(request, response) {
    const destination = await find(request)
    const { status, error, durationMs, answer } = await options.testDestination(destination)
    const text = Buffer.from(answer).toString('utf8')
    sendJson(response, JSON.stringify({ ok: error === null, status, error, durationMs, answer: text }))
  })

  return router
}

/**
 * By id, or by name. Names are one owner's alone: the operator's own goes before those of clients.
 * Of removed ones, where they count too, the last one of the name.
 * @throws PortariaError `not_found`; `request_invalid` for a name that several clients have given
 */
export async function findDestination(
  store: StoreReader,
  idOrName: string,
  options: { removed?: boolean; owner?: string | null } = {},
): Promise<Destination> {
  const { owner = null, ...selection } = options
  const id = parseNumberedId('dst', idOrName)
  const all = await store.listDestinations(selection)
  const found = id === null ? pickNamed(all, idOrName, owner) : all.find((d) => d.id === id)
  if (found === undefined) {
    throw new PortariaError(
      'not_found',
      `there is no destination ${idOrName.slice(0, 64)}: portaria destinations list shows those there are`,
    )
  }
  return found
}

/** @throws PortariaError `request_invalid` where the name alone does not tell which is meant */
export function pickNamed(all: readonly Destination[], name: string, owner: string | null): Destination | undefined {
  const named = all.filter((d) => d.name === name)
  const own = named.filter((d) => d.owner === owner)
  const meant = own.length > 0 ? own : named
  const present = meant.filter(({ state }) => state === 'active' || state === 'paused')
  if (present.length <= 1) return present[0] ?? meant.at(-1)
  const ids = present.map((d) => `${numberedId('dst', d.id)} of ${d.owner ?? 'the operator'}`).join(', ')
  throw new PortariaError('request_invalid', `several clients have a destination named ${name}: use the id (${ids})`)
}
