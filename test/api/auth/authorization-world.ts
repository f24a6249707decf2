import { randomUUID } from 'node:crypto'
import type { Destination } from '../../../src/domain/destination.ts'
import type { EventRecord } from '../../../src/domain/event-record.ts'
import { warningsDue } from '../../../src/domain/expiry.ts'
import { numberedId } from '../../../src/domain/public-id.ts'
import type { Environment } from '../../../src/domain/realm.ts'
import { newSecret } from '../../../src/domain/secrets/webhook-secret.ts'
import type { ChargeResource } from '../../../src/domain/service/charge-route.ts'
import {
  aCallback,
  aDestination,
  aFact,
  aHeldCallback,
  aRefusal,
  aWatchedCertificate,
  NOON,
} from '../../support/builders.ts'
import type { startApi } from '../api.ts'
import type { Kind, PartyName } from './authorization-table.ts'

/** Whose an object is. */
export interface Party {
  readonly name: PartyName
  /** A client's id; null: the operator. */
  readonly owner: string | null
  readonly environment: Environment
}

/** An object that a request is about. */
export interface Thing {
  /** As a path, a body or an answer names it. */
  readonly id: string
  /** As it is now in the store. */
  readonly look: () => Promise<unknown>
  /** Only its owner may read these. */
  readonly secrets?: readonly string[]
  /** No one is shown these. */
  readonly headers?: readonly string[]
  readonly url?: string
}

const DESTINATIONS: readonly Kind[] = ['destination', 'registration', 'payment webhook']

type Api = Awaited<ReturnType<typeof startApi>>

/** Makes objects of every kind for every party; null where a kind has none of such a party. */
export function createWorld({ store }: Api) {
  let count = 0
  const standing = new Map<string, Promise<Thing | null>>()
  const standingDestinations = new Set<number>()

  const thingOf = (destination: Destination, id = numberedId('dst', destination.id)): Thing => ({
    id,
    look: async () => (await store.listDestinations({ removed: true })).find((one) => one.id === destination.id),
    secrets: destination.secrets,
    headers: destination.headers.map(([, value]) => value),
    url: destination.url,
  })

  async function destination({ owner, environment }: Party): Promise<Thing> {
    const name = `d${++count}`
    const settings = aDestination({
      name,
      url: `https://${name}.example/`,
      secrets: [newSecret()],
      environments: owner === null ? null : [environment],
      headers: [['authorization', `Bearer private-${name}`]],
    })
    return thingOf(await store.createDestination(settings, NOON, owner ?? undefined))
  }

  const registered = (kind: 'registration' | 'payment') => async (party: Party) => {
    const { owner, environment } = party
    const [name, id] = [`r${++count}`, randomUUID()]
    const settings = { name, url: `https://${name}.example/`, secrets: [newSecret()], kinds: [kind] }
    const made = await store.registerDestination(
      aDestination({ ...settings, environments: [environment] }),
      { id, owner },
      NOON,
    )
    return thingOf(made.destination, kind === 'payment' ? settings.url : id)
  }

  const routed =
    (resource: ChargeResource) =>
    async ({ owner, environment }: Party) => {
      const key = { environment, resource, resourceId: `${1000 + ++count}` }
      const [name, url] = [`c${count}`, `https://c${count}.example/`]
      const settings = aDestination({ name, url, secrets: [newSecret()], kinds: ['charge'] })
      await store.openChargeRoute({ ...key, owner, settings }, NOON)
      return { id: key.resourceId, look: () => store.getChargeRoute(key), secrets: settings.secrets }
    }

  async function eventOf(environment: Environment): Promise<EventRecord> {
    const { events } = await store.listEvents({ environment }, 1000)
    return events.at(-1) as EventRecord
  }

  const newEvent = async (environment: Environment) => {
    const text = `"${++count}"`
    await store.storeCallback(aCallback({ environment, text, facts: [aFact({ subject: text })] }))
    return eventOf(environment)
  }

  function eventThing({ id, position }: EventRecord): Thing {
    const isStanding = ({ destinationId }: { destinationId: number }) => standingDestinations.has(destinationId)
    const look = async () => (await store.listDeliveries({ position }, 100)).filter(isStanding)
    return { id, look }
  }

  /** The operator's is one of kind operator: it tells of the gateway. */
  async function event({ name, environment }: Party): Promise<Thing | null> {
    if (name === 'foreign') return null
    if (name !== 'house') return eventThing(await newEvent(environment))
    const fingerprint = `${++count}`.padStart(64, '0')
    const warnings = warningsDue([aWatchedCertificate({ fingerprint, environment, notAfter: NOON + 86_400_000 })], NOON)
    for (const warning of warnings) await store.raiseExpiryWarning(warning)
    const { events } = await store.listEvents({ kinds: ['operator'] }, 1000)
    return eventThing(events.at(-1) as EventRecord)
  }

  async function consumer({ name, owner }: Party): Promise<Thing> {
    const key = { owner, name: `${name}-${owner ?? 'operator'}` }
    await store.deleteConsumer(key)
    const batch = { id: `bat_${++count}`, expiresAt: NOON + 3_600_000 }
    await store.leaseBatch(key, { after: 0, end: 1, gapsReportedAt: 0 }, batch, NOON)
    return { id: `${key.name} ${owner ?? 'operator'} ${batch.id}`, look: () => store.getConsumer(key) }
  }

  async function replay(party: Party, upTo: number): Promise<Thing> {
    const target = await standingOf('destination', party)
    const destinationId = Number(target?.id.slice('dst_'.length))
    const wish = { destinationId, mode: 'all' as const, filter: {}, owner: party.owner, matched: 0, leftOut: 0, upTo }
    const { replayId } = await store.createReplay(wish, NOON)
    return { id: numberedId('rpl', replayId), look: () => store.getReplay(replayId) }
  }

  async function delivery(party: Party): Promise<Thing> {
    const target = await standingOf('destination', party)
    const { position } = await newEvent(party.environment)
    const all = await store.listDeliveries({ position }, 100)
    const found = all.find((one) => numberedId('dst', one.destinationId) === target?.id)
    if (found === undefined) throw new Error('the destination does not get the event')
    const look = async () =>
      (await store.listDeliveries({ position }, 100)).find(({ deliveryId }) => deliveryId === found.deliveryId)
    return { id: numberedId('dlv', found.deliveryId), look }
  }

  async function quarantined({ environment }: Party): Promise<Thing> {
    await store.storeCallback(aHeldCallback(`{"account":"theirs","n":${++count}}`, [], { environment }))
    const found = (await store.listQuarantine({ environment }, 1000)).at(-1)
    const id = found?.id ?? 0
    return { id: numberedId('qtn', id), look: () => store.getQuarantined(id) }
  }

  async function refusal({ environment }: Party): Promise<Thing> {
    await store.recordRefusals({ refusals: [aRefusal({ environment })], probes: [] })
    const id = await store.latestRefusal()
    return { id: numberedId('rfs', id), look: () => store.getRefusal(id) }
  }

  const ofEnvironment = (make: (party: Party) => Promise<Thing>) => async (party: Party) =>
    party.name === 'own' || party.name === 'elsewhere' ? make(party) : null

  const makers: Record<Kind, (party: Party) => Promise<Thing | null>> = {
    event,
    consumer,
    delivery,
    destination,
    environment: ofEnvironment(async ({ environment }) => ({ id: environment, look: async () => null })),
    replay: async (party) => replay(party, await store.latestPosition()),
    quarantined: ofEnvironment(quarantined),
    registration: registered('registration'),
    'payment webhook': registered('payment'),
    'charge route': routed('charge'),
    'subscription route': routed('subscription'),
    refusal: ofEnvironment(refusal),
    nothing: ofEnvironment(async () => ({ id: '', look: async () => null })),
  }

  /** One that no one changes, the same every time. */
  function standingOf(kind: Kind, party: Party): Promise<Thing | null> {
    const key = `${kind} ${party.owner} ${party.environment}`
    const made = standing.get(key) ?? (kind === 'replay' ? replay(party, 0) : makers[kind](party))
    standing.set(key, made)
    return made
  }

  return {
    standingOf,
    make: (kind: Kind, party: Party) => makers[kind](party),
    /** The destinations first: events are for those that are there. */
    async prepare(parties: readonly Party[]) {
      const kinds = Object.keys(makers) as Kind[]
      const first = kinds.filter((kind) => DESTINATIONS.includes(kind))
      for (const kind of [...first, ...kinds]) for (const party of parties) await standingOf(kind, party)
      for (const { id } of await store.listDestinations()) standingDestinations.add(id)
    },
    /** Takes away what requests have made. */
    async sweep() {
      for (const { id } of await store.listDestinations())
        if (!standingDestinations.has(id)) await store.deleteDestination(id)
    },
    /** Only so many may run at once. */
    async endReplays() {
      for (const { replayId } of await store.listReplays({ state: 'running' }, 100))
        await store.cancelReplay(replayId, NOON)
    },
  }
}
