import { Router } from 'express'
import { numberedId, parseNumberedId } from '../../domain/public-id.ts'
import { lineOfReplay, type NewReplay, type ReplayRecord, type ReplaySearch } from '../../domain/replay.ts'
import type { Store, StoreReader } from '../../domain/store.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { ownerOf, type StoreFor } from '../auth/store-scope.ts'
import { pickNamed } from '../destinations/destination-routes.ts'
import { dropUndefined, sendJson } from '../http/answer.ts'
import { requiredJsonBody } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import { replayQuery } from './replay-operations.ts'
import { parseReplay } from './schema.ts'
import { replayCountView, replayView } from './view.ts'

export interface ReplayRoutesOptions {
  readonly now: () => number
  /** Goes on with every replay that runs according to the store. */
  readonly runReplays: () => void
  /** These destinations have something else to be sent now. */
  readonly wake: (destinationIds: readonly number[]) => void
  readonly log: Log
}

/** `/v1/replays` */
export function replayRoutes(options: ReplayRoutesOptions & { readonly storeFor: StoreFor }): Router {
  const { storeFor, now, runReplays, wake, log } = options
  const router = Router()

  router.post('/v1/replays', ...requiredJsonBody(), async function createReplay(request, response) {
    const { destination: name, dryRun, ...wish } = parseReplay(request.body)
    const store = storeFor(request)
    const { id: destinationId, name: destinationName } = await findTarget(store, name, ownerOf(request))
    const upTo = await store.latestPosition()
    const matched = await countReplayable(store, { ...wish, destinationId, after: 0, upTo })
    const replay: NewReplay = { ...wish, destinationId, owner: ownerOf(request), matched, upTo }
    if (dryRun) return sendJson(response, JSON.stringify(replayCountView({ ...replay, destinationName })))
    const made = await store.createReplay(replay, now())
    runReplays()
    response.status(202).location(`/v1/replays/${numberedId('rpl', made.replayId)}`)
    sendJson(response, JSON.stringify(replayView(made)))
  })

  router.get('/v1/replays', async function listReplays(request, response) {
    const { limit, ...query } = readQuery(request.url, replayQuery)
    const replays = await storeFor(request).listReplays(dropUndefined(query), limit + 1)
    const data = replays.slice(0, limit)
    // A page without any leaves the reader where it is.
    const last = data.at(-1)?.replayId ?? query.after
    const next = last === undefined ? null : numberedId('rpl', last)
    sendJson(response, JSON.stringify({ data: data.map(replayView), next, more: replays.length > limit }))
  })

  router.get('/v1/replays/:id', async function showReplay(request, response) {
    sendJson(response, JSON.stringify(replayView(await findReplay(storeFor(request), request.params.id))))
  })

  router.delete('/v1/replays/:id', async function cancelReplay(request, response) {
    const store = storeFor(request)
    const known = await findReplay(store, request.params.id)
    const { replay, destinationIds } = await store.cancelReplay(known.replayId, now())
    if (known.state !== 'canceled')
      log.info({ ...lineOfReplay(replay), canceledBy: ownerOf(request) ?? 'operator' }, 'replay.canceled')
    wake(destinationIds)
    sendJson(response, JSON.stringify(replayView(replay)))
  })

  return router
}

/** @throws PortariaError `request_invalid` */
async function findTarget(store: StoreReader, idOrName: string, owner: string | null) {
  const all = await store.listDestinations()
  const found = all.find((d) => numberedId('dst', d.id) === idOrName) ?? pickNamed(all, idOrName, owner)
  if (found !== undefined) return found
  const words = 'there is no such destination: GET /v1/destinations (portaria destinations list) shows those there are'
  throw invalidRequest('the replay is not valid', [{ pointer: '/destination', words }])
}

/** In pieces, so that nobody else who looks waits for long. */
async function countReplayable(store: Pick<Store, 'findReplayable'>, search: ReplaySearch): Promise<number> {
  let count = 0
  for (let after = search.after; after < search.upTo; ) {
    const { positions, next } = await store.findReplayable({ ...search, after }, Number.MAX_SAFE_INTEGER)
    count += positions.length
    after = next
  }
  return count
}

/** @throws PortariaError `not_found` */
export async function findReplay(store: Pick<StoreReader, 'getReplay'>, id: string): Promise<ReplayRecord> {
  const number = parseNumberedId('rpl', id)
  const replay = number === null ? null : await store.getReplay(number)
  if (replay === null) throw new PortariaError('not_found', `there is no replay ${id.slice(0, 64)}`)
  return replay
}
