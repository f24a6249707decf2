import type { z } from 'zod'
import { numberedId } from '../../domain/public-id.ts'
import { lineOfReplay, type NewReplay, type ReplaySearch } from '../../domain/replay.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { given } from '../../platform/given.ts'
import { COMMAND } from '../../platform/installation.ts'
import type { Log } from '../../platform/log.ts'
import { membersOf } from '../audit/details.ts'
import { ownerOf, type ReaderFor, type StoreFor } from '../auth/store-scope.ts'
import { pickNamed } from '../deliveries/destination-lookup.ts'
import { eventFilterFrom } from '../events/filter-schema.ts'
import type { Handlers } from '../http/contract.ts'
import { segmentOf } from '../http/endpoint.ts'
import { served } from '../http/served.ts'
import { NEW_REPLAYS, REPLAY_CHANGES, REPLAY_READS } from './contract.ts'
import { findReplay } from './lookup.ts'
import type { newReplaySchema } from './schema.ts'
import { canceledReplayView, replayCountView, replayView } from './view.ts'

export interface ReplayReadParts {
  readonly storeFor: ReaderFor
}

export interface ReplayParts {
  readonly storeFor: StoreFor
  readonly now: () => number
  /** Continues every replay that runs according to the store. */
  readonly runReplays: () => void
  /** Deliveries to these destinations may be due now. */
  readonly wake: (destinationIds: readonly number[]) => void
  /** Forgets claims of these deliveries whose attempts have not begun. Returns how many. */
  readonly drop: (deliveryIds: readonly number[]) => number
  readonly log: Log
}

const FILTERS = ['events', 'kinds', 'institution', 'environment', 'subject', 'status', 'from', 'to']

const CREATING: Handlers<typeof NEW_REPLAYS, ReplayParts> = {
  createReplay: {
    details(call) {
      const { filter, ...named } = membersOf(call.body, ['destination', 'mode', 'filter', 'dryRun'])
      const { subject, events, ...of } = membersOf(filter, FILTERS)
      // A subject may be personal data.
      const count = Array.isArray(events) ? events.length : undefined
      return { ...named, ...of, subject: subject === undefined ? undefined : 'one', events: count }
    },
    async run(call, { storeFor, now, runReplays }) {
      const store = storeFor(call)
      const { dryRun, replay, destinationName } = await planReplay(store, call.body, ownerOf(call))
      if (dryRun) return { json: replayCountView({ ...replay, destinationName }) }
      const created = await store.createReplay(replay, now())
      runReplays()
      const location = `/v1/replays/${numberedId('rpl', created.replayId)}`
      return { status: 202, headers: { location }, json: replayView(created) }
    },
  },
}

const READS: Handlers<typeof REPLAY_READS, ReplayReadParts> = {
  async listReplays(call, { storeFor }) {
    const { limit, order, ...query } = call.query
    const newestFirst = order === 'desc'
    const replays = await storeFor(call).listReplays({ ...given(query), newestFirst }, limit + 1)
    const data = replays.slice(0, limit)
    // An empty page keeps the reader's position.
    const last = data.at(-1)?.replayId ?? query.after
    const next = last === undefined ? null : numberedId('rpl', last)
    return { json: { data: data.map(replayView), next, more: replays.length > limit } }
  },
  async showReplay(call, { storeFor }) {
    return { json: replayView(await findReplay(storeFor(call), segmentOf(call, 'id'))) }
  },
}

const CHANGES: Handlers<typeof REPLAY_CHANGES, ReplayParts> = {
  async cancelReplay(call, { storeFor, now, wake, drop, log }) {
    const store = storeFor(call)
    const known = await findReplay(store, segmentOf(call, 'id'))
    const { replay, destinationIds, claimedIds } = await store.cancelReplay(known.replayId, now())
    const underWay = claimedIds.length - drop(claimedIds)
    if (known.state !== 'canceled')
      log.info({ ...lineOfReplay(replay), underWay, canceledBy: ownerOf(call) ?? 'operator' }, 'replay.canceled')
    wake(destinationIds)
    return { json: canceledReplayView(replay, underWay) }
  },
}

/** Of dry runs alone. */
const COUNTING: Handlers<typeof NEW_REPLAYS, ReplayReadParts> = {
  async createReplay(call, { storeFor }) {
    const { replay, destinationName } = await planReplay(storeFor(call), call.body, ownerOf(call))
    return { json: replayCountView({ ...replay, destinationName }) }
  },
}

export function replayEndpoints(parts: ReplayParts) {
  return {
    ...served(NEW_REPLAYS, CREATING, parts),
    ...replayReads(parts),
    ...served(REPLAY_CHANGES, CHANGES, parts),
  }
}

export function replayReads(parts: ReplayReadParts) {
  return served(REPLAY_READS, READS, parts)
}

/** Where no gateway runs. */
export function replayCounts(parts: ReplayReadParts) {
  return served(NEW_REPLAYS, COUNTING, parts)
}

/** The replay that a request asks for, with its count. Creates and changes nothing. @throws PortariaError `request_invalid` */
export async function planReplay(
  store: StoreReader,
  { destination: name, dryRun, filter, ...wanted }: z.output<typeof newReplaySchema>,
  owner: string | null,
) {
  await checkEvents(store, filter.events ?? [])
  const { events, ...rest } = filter
  const selection = { ...wanted, filter: { ...eventFilterFrom(rest), ...(events !== undefined && { events }) } }
  const { id: destinationId, name: destinationName } = await findTarget(store, name, owner)
  const upTo = await store.latestPosition()
  const count = await countReplayable(store, { ...selection, destinationId, after: 0, upTo })
  const replay: NewReplay = { ...selection, destinationId, owner, ...count, upTo }
  return { dryRun, replay, destinationName }
}

/** @throws PortariaError `request_invalid` for an event that does not exist, or that the caller may not see */
async function checkEvents(store: StoreReader, ids: readonly string[]): Promise<void> {
  for (const [at, id] of ids.entries())
    if ((await store.getEvent(id)) === null)
      throw invalidRequest('the replay is not valid', [
        { pointer: `/filter/events/${at}`, words: 'there is no such event' },
      ])
}

/** @throws PortariaError `request_invalid` */
async function findTarget(store: StoreReader, idOrName: string, owner: string | null) {
  const all = await store.listDestinations()
  const found = all.find((d) => numberedId('dst', d.id) === idOrName) ?? pickNamed(all, idOrName, owner)
  if (found !== undefined) return found
  const words = `there is no such destination: GET /v1/destinations (${COMMAND} destinations list) shows all`
  throw invalidRequest('the replay is not valid', [{ pointer: '/destination', words }])
}

/** In pieces, so that other readers of the store do not wait long. */
async function countReplayable(store: Pick<Store, 'findReplayable'>, search: ReplaySearch) {
  const count = { matched: 0, leftOut: 0 }
  for (let after = search.after; after < search.upTo; ) {
    const { positions, leftOut, next } = await store.findReplayable({ ...search, after }, Number.MAX_SAFE_INTEGER)
    count.matched += positions.length
    count.leftOut += leftOut
    after = next
  }
  return count
}
