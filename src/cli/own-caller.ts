import type { Endpoint, Reply } from '../api/http/endpoint.ts'
import { checkedOperation } from '../api/http/operation.ts'
import { queryOf } from '../api/http/query.ts'
import { type Config, kindNamesOf, realmsOf } from '../config/config.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { type Caller, callerOf, targetOf } from './asking.ts'
import { readConfig } from './config-file.ts'
import type { ConfigOption } from './options.ts'
import { withReader } from './reader.ts'

type Reads = Readonly<Record<string, Endpoint>>

/** Runs the API's own operations in this process, as the operator: who may read the database may read everything. */
export function withOwnCaller<T>(options: ConfigOption, use: (caller: Caller) => Promise<T>): Promise<T> {
  return withReader(readConfig(options), (store, config) => {
    const known = new Map<string, Promise<Reads>>()

    async function operationFor(id: string, path: string) {
      const noun = path.split('/')[2] ?? ''
      const reads = known.get(noun) ?? READS[noun]?.(store, config)
      if (reads === undefined) throw new Error(`${id} needs a gateway`)
      known.set(noun, reads)
      return checkedOperation(id, (await reads)[id] as Endpoint)
    }

    const bytes: Caller['bytes'] = async ({ id, path, method }, input = {}) => {
      const { body } = input
      if (method !== 'get' && !isDryRun(body)) throw new Error(`${id} changes something`)
      const { perform } = await operationFor(id, path)
      const called = { principal: { kind: 'operator' }, isReading: true, reason: null, http: null } as const
      const params = Object.fromEntries(Object.entries<string>(input.segments ?? {}))
      return bytesOf(await perform({ ...called, params, query: queryOf(targetOf(path, input)), body }))
    }
    return use(callerOf(null, bytes))
  })
}

function isDryRun(body: unknown): boolean {
  return (body as { readonly dryRun?: boolean } | undefined)?.dryRun === true
}

function bytesOf({ json, jsonText = JSON.stringify(json), content = jsonText }: Reply): Buffer {
  return Buffer.from(content as Uint8Array)
}

const now = () => Date.now()

/** For clients that may not see everything. */
const mask = () => {
  throw new Error('the operator sees everything')
}

/** The reading operations by the first segment of their paths: a command loads those of its own nouns. */
const READS: Readonly<Record<string, (store: StoreReader, config: Config) => Promise<Reads>>> = {
  async events(store, config) {
    const { eventReads } = await import('../api/events/endpoints.ts')
    const hints = await hintsOf(store, config)
    return eventReads({
      storeFor: () => store,
      now,
      mask,
      hints,
      ...NOT_WAITING,
      nextProbeOf: await probesOf(store, config),
    })
  },
  async subjects(store, config) {
    const { subjectReads } = await import('../api/subjects/endpoints.ts')
    const hints = await hintsOf(store, config)
    return subjectReads({ storeFor: () => store, now, mask, hints, nextProbeOf: await probesOf(store, config) })
  },
  consumers: async (store) => (await import('../api/consumers/endpoints.ts')).consumerReads({ store, now }),
  async replays(store) {
    const { replayCounts, replayReads } = await import('../api/replays/endpoints.ts')
    const parts = { storeFor: () => store }
    return { ...replayReads(parts), ...replayCounts(parts) }
  },
  async deliveries(store, config) {
    const { deliveryReads } = await import('../api/deliveries/endpoints.ts')
    return deliveryReads({ store, mask, nextProbeOf: await probesOf(store, config) })
  },
  quarantine: async (store) => (await import('../api/quarantine/endpoints.ts')).quarantineReads({ store, mask }),
  async destinations(store) {
    const { destinationReads } = await import('../api/destinations/endpoints.ts')
    // Only a gateway that runs knows what was sent lately, and when it probes.
    return destinationReads({ storeFor: () => store, now, statsOf: () => null, nextProbeOf: () => null })
  },
  async clients(store, { api }) {
    const { clientReads } = await import('../api/clients/endpoints.ts')
    const { findClient } = await import('../api/clients/registry.ts')
    const { scopeNames } = await import('../domain/scopes.ts')
    const get = async (named: string) => findClient(await store.listClients({ revoked: true }), named)
    return clientReads({ clients: { list: store.listClients, get }, scopeNames: scopeNames(api.servicePathSegment) })
  },
  async storage(store, { storage }) {
    const { removalCounts } = await import('../api/retention/endpoints.ts')
    const { countRemovable } = await import('../jobs/retention-runner.ts')
    return removalCounts({ store, pruning: { count: () => countRemovable(store, storage.retention, now()) } })
  },
  async gaps(store, config) {
    const { gapReads } = await import('../api/reconcile/endpoints.ts')
    return gapReads({ store, realms: realmsOf(config), takeUp: null })
  },
  refusals: async (store) => (await import('../api/refusals/endpoints.ts')).refusalEndpoints(store),
  audit: async (store) => (await import('../api/audit/endpoints.ts')).auditEndpoints(store),
  nodes: async (store) => (await import('../api/nodes/endpoints.ts')).nodeEndpoints(store),
  async alarms(store, config) {
    const { alarmReads } = await import('../api/alarms/endpoints.ts')
    const { alarmPlanOf } = await import('../gateway/alarms/alarm-plan.ts')
    return alarmReads({ store, now, alarms: { plan: () => alarmPlanOf(config.alarms) } })
  },
  async search(store) {
    const { searchReads } = await import('../api/search/endpoints.ts')
    const state = async () => ({ ...(await store.readSearchState(now())), problem: null })
    return searchReads({ searchIndex: { state } })
  },
}

async function hintsOf(store: StoreReader, config: Config) {
  const { createTraitsMemory } = await import('../api/http/filter-hint.ts')
  return { traits: createTraitsMemory(store), kinds: kindNamesOf(config) }
}

/** A command asks again instead. */
const NOT_WAITING = {
  bus: { subscribe: () => () => undefined },
  waiting: {
    wait() {
      throw new Error('no request waits here')
    },
    notify: () => undefined,
  },
  answers: { endTurn: () => undefined },
}

/** The next probes of destinations whose circuit is open: only a gateway that runs knows them. */
async function probesOf(store: StoreReader, config: Config): Promise<(destinationId: number) => number | null> {
  const open = (await store.listDestinations()).filter(({ circuitOpenedAt }) => circuitOpenedAt !== null)
  const probes = new Map<number, number | null>()
  for (const { id } of open) probes.set(id, await nextProbeAt(id, config))
  return (id) => probes.get(id) ?? null
}

async function nextProbeAt(destinationId: number, config: Config): Promise<number | null> {
  const { askGateway } = await import('./control-client.ts')
  const { numberedId } = await import('../domain/public-id.ts')
  const { PortariaError } = await import('../platform/errors.ts')
  try {
    const path = `/v1/destinations/${numberedId('dst', destinationId)}/stats`
    const stats = await askGateway<{ readonly nextProbeAt?: string | null }>(config, 'GET', path)
    return stats?.nextProbeAt == null ? null : Date.parse(stats.nextProbeAt)
  } catch (error) {
    // A user with permission for the database need not have one for the socket.
    if (error instanceof PortariaError) return null
    throw error
  }
}
