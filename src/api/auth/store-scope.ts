import { type Caller, type ClientPrincipal, principalOf } from '../../domain/client.ts'
import { type Destination, type DestinationSettings, isRealmWanted } from '../../domain/destination.ts'
import type { DestinationChanges } from '../../domain/destination-changes.ts'
import type { EventFilter, EventRecord } from '../../domain/event-record.ts'
import { numberedId } from '../../domain/public-id.ts'
import { type Environment, environmentOf } from '../../domain/realm.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'

/** The store, restricted to what the principal may read and change. @param need as in `restrictedClient` */
export type StoreFor = (caller: Caller, need?: Need) => Store

/** As `StoreFor`, for operations that only read. */
export type ReaderFor = (caller: Caller, need?: Need) => StoreReader

/** `method`: reading needs reading rights, all else writing rights. `change`: writing rights, also to read secrets. */
export type Need = 'method' | 'change'

/**
 * Clients read and change only their own destinations and deliveries, and events of their environment. With `operations.read` they read everything
 * except signing secrets, with `operations.write` they also change everything and read signing secrets. With `support.read` they also read the
 * deliveries of every event that they may read, but not the response bodies of other clients' systems. With `support.replay` they also send events
 * again to every destination that has a delivery of them.
 * @param events how events are listed
 */
export function storeViews(store: Store, events: Pick<Store, 'listEvents'> = store): StoreFor {
  const all = { ...store, listEvents: events.listEvents }
  return function storeFor(caller, need) {
    const client = restrictedClient(caller, need)
    return client === null ? all : restrictedStore(all, client)
  }
}

/** The filter, restricted to the client's environment. @throws PortariaError `forbidden` for a filter with another environment */
export function eventFilterFor(caller: Caller, filter: EventFilter): EventFilter {
  const client = restrictedClient(caller)
  return client === null ? filter : restrictFilter(filter, client)
}

/** Whether personal data is masked for the principal: only `events.read` shows it, whatever the other scopes are. */
export function seesMasked(caller: Caller): boolean {
  const principal = principalOf(caller)
  return principal.kind === 'client' && !principal.scopes.has('events.read')
}

/** Names what a reading caller may see: the same for two callers only where they may see the same. */
export function viewOf(caller: Caller): string {
  const principal = principalOf(caller)
  if (principal.kind === 'operator') return principal.kind
  const { id, environment, scopes } = principal
  return [id, environment, ...[...scopes].sort()].join(' ')
}

/** Owner of objects that the principal creates or names: the client's id; null: the operator. */
export function ownerOf(caller: Caller): string | null {
  const principal = principalOf(caller)
  return principal.kind === 'client' ? principal.id : null
}

/** The client to whose own objects the caller is restricted; null: no restriction, for the operator or an operator scope. */
export function restrictedClient(caller: Caller, need: Need = 'method'): ClientPrincipal | null {
  const principal = principalOf(caller)
  if (principal.kind === 'operator' || principal.scopes.has('operations.write')) return null
  return need === 'method' && caller.isReading && principal.scopes.has('operations.read') ? null : principal
}

/** Whether the caller may send events again to destinations of others, although its client is restricted to its own objects. */
export function sendsAgain(caller: Caller): boolean {
  return restrictedClient(caller)?.scopes.has('support.replay') === true
}

/** Whether the caller sees deliveries to destinations that it cannot list. */
export function seesForeignDeliveries(caller: Caller): boolean {
  const client = restrictedClient(caller)
  return client !== null && seesEveryDelivery(client)
}

function restrictedStore(store: Store, client: ClientPrincipal): Store {
  const { id, environment } = client
  const environments = environment === 'any' ? null : [environment]
  const isVisible = ({ kind, environment }: EventRecord) =>
    environments?.includes(environmentOf(environment)) !== false && (kind !== 'operator' || seesOperatorEvents(client))
  const limited = <T extends RestrictedSettings>(settings: T) => ({
    ...settings,
    ...restrictEnvironments(client, environments, settings),
  })
  const canSendAgain = client.scopes.has('support.replay')
  // It also sees the deliveries of other clients, without the answers of their systems.
  const isSupport = seesEveryDelivery(client)
  const foreignDeliveries = new Set<number>()
  const isOwn = (destination: Destination) => destination.owner === id
  const wasQueued = async (position: number, destinationId: number) =>
    (await store.listDeliveries({ position, destinationId }, 1)).length > 0
  const listOwn: Store['listDestinations'] = async (options) => (await store.listDestinations(options)).filter(isOwn)

  return {
    ...store,
    // Not async: one event wakes thousands of requests, and each async function around a promise costs each of them three turns.
    listEvents: (filter, limit) => store.listEvents(restrictFilter(filter, client), limit),
    async getEvent(eventId) {
      const found = await store.getEvent(eventId)
      return found !== null && isVisible(found.event) ? found : null
    },
    async getProof(eventId) {
      const found = await store.getEvent(eventId)
      return found !== null && isVisible(found.event) ? store.getProof(eventId) : null
    },
    async listDeliveries(filter, limit) {
      const own = new Set((await listOwn({ removed: true })).map((destination) => destination.id))
      const found = await store.listDeliveries(filter, limit)
      if (!isSupport) return found.filter(({ destinationId }) => own.has(destinationId))
      const foreign = found.filter(({ destinationId }) => !own.has(destinationId))
      for (const { deliveryId } of foreign) foreignDeliveries.add(deliveryId)
      return found.map((one) => (own.has(one.destinationId) ? one : { ...one, lastAnswer: null }))
    },
    async listAttempts(deliveryId, limit) {
      const attempts = await store.listAttempts(deliveryId, limit)
      return foreignDeliveries.has(deliveryId) ? attempts.map((one) => ({ ...one, answer: NO_ANSWER })) : attempts
    },
    async countEventDeliveries(positions, wanted) {
      if (isSupport) return store.countEventDeliveries(positions, wanted)
      const own = (await listOwn({ removed: true })).map((destination) => destination.id)
      const counted = wanted === undefined ? own : own.filter((destinationId) => wanted.includes(destinationId))
      return store.countEventDeliveries(positions, counted)
    },
    listDestinations: listOwn,
    createDestination: async (settings, now) => store.createDestination(limited(settings), now, id),
    updateDestination: async (destinationId, changes, now) =>
      store.updateDestination(destinationId, limited(changes), now),
    async replayEvent(eventId, destinationId, now) {
      const found = await store.getEvent(eventId)
      if (found === null || !isVisible(found.event))
        throw new PortariaError('not_found', say`there is no event ${{ id: eventId.slice(0, 64) }}`)
      if (canSendAgain && (destinationId === null || (await wasQueued(found.event.position, destinationId))))
        return store.replayEvent(eventId, destinationId, now)
      if (destinationId === null) throw new PortariaError('request_invalid', NAME_ONE)
      if (!client.scopes.has('events.replay')) throw new PortariaError('forbidden', AGAIN_ONLY)
      const realm = found.event.environment
      const destination = (await listOwn()).find((one) => one.id === destinationId)
      if (destination !== undefined && !isRealmWanted(destination, realm))
        throw new PortariaError(
          'forbidden',
          say`${{ name: destination.name }} does not receive events of ${{ environment: realm }}`,
        )
      return store.replayEvent(eventId, destinationId, now)
    },
    async retryDelivery(deliveryId, now) {
      const [delivery] = await store.listDeliveries({ after: deliveryId - 1, before: deliveryId + 1 }, 1)
      const found = delivery && (await store.getEvent(delivery.eventId))
      if (!found || !isVisible(found.event))
        throw new PortariaError('not_found', say`there is no delivery ${{ id: numberedId('dlv', deliveryId) }}`)
      return store.retryDelivery(deliveryId, now)
    },
    findReplayable: async (search, limit) =>
      store.findReplayable({ ...search, filter: restrictFilter(search.filter, client) }, limit),
    createReplay: async (replay, now) =>
      store.createReplay({ ...replay, filter: restrictFilter(replay.filter, client) }, now),
    listReplays: (query, limit) => store.listReplays({ ...query, owner: id }, limit),
    async getReplay(replayId) {
      const found = await store.getReplay(replayId)
      return found?.owner === id ? found : null
    },
  }
}

const NAME_ONE =
  'name one of your destinations: ?destination=NAME (only operations.write permits replays to all at once)'

const AGAIN_ONLY =
  'with support.replay an event is sent again only to destinations that have a delivery of it; events.replay sends it to others'

const NO_ANSWER = new Uint8Array()

/** Events of kind `operator` report on the whole gateway, including other clients' destinations. */
function seesOperatorEvents({ scopes }: ClientPrincipal): boolean {
  return scopes.has('operations.read') || scopes.has('operations.write')
}

function checkKinds(client: ClientPrincipal, kinds: readonly string[] | null | undefined): void {
  if (kinds?.includes('operator') === true && !seesOperatorEvents(client))
    throw new PortariaError(
      'forbidden',
      say`events of kind operator report on the whole gateway: they require operations.read`,
    )
}

function restrictFilter<F extends Pick<EventFilter, 'kinds' | 'environment' | 'delivery'>>(
  asked: F,
  client: ClientPrincipal,
): F {
  const filter = restrictDelivery(asked, client)
  checkKinds(client, filter.kinds)
  const { environment } = client
  if (environment === 'any') return filter
  if (filter.environment === undefined || filter.environment === environment) return { ...filter, environment }
  throw new PortariaError(
    'forbidden',
    say`the client belongs to ${{ environment }}: it cannot read events of ${{ other: filter.environment }}`,
  )
}

/** By deliveries that the client sees. */
function restrictDelivery<F extends Pick<EventFilter, 'delivery'>>(filter: F, client: ClientPrincipal): F {
  if (filter.delivery === undefined || seesEveryDelivery(client)) return filter
  return { ...filter, delivery: { ...filter.delivery, owner: client.id } }
}

function seesEveryDelivery({ scopes }: ClientPrincipal): boolean {
  return scopes.has('support.read') || scopes.has('support.replay')
}

type RestrictedSettings = Pick<DestinationSettings | DestinationChanges, 'environments' | 'kinds'>

/** Restricts a destination to the client's environment, which is also the default. */
function restrictEnvironments(
  client: ClientPrincipal,
  allowed: readonly Environment[] | null,
  { environments, kinds }: RestrictedSettings,
): Pick<DestinationChanges, 'environments'> {
  checkKinds(client, kinds)
  if (allowed === null || environments === undefined) return {}
  const foreign = environments?.find((one) => !allowed.includes(one))
  if (foreign === undefined) return { environments: environments ?? allowed }
  throw new PortariaError(
    'forbidden',
    say`the client belongs to ${{ names: allowed.join() }}: its destinations cannot receive events of ${{ environment: foreign }}`,
  )
}
