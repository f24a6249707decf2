import type { Destination } from '../../../domain/destination.ts'
import type { ChargeReferences, Fact } from '../../../domain/event.ts'
import type { HashedCallback } from '../../../domain/event-hash.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { ChargeRoute } from '../../../domain/service/charge-route.ts'
import { type RouteRow, routeOfRow, routeText } from '../../rows/route-row.ts'
import { type SpanRow, spanOfRow } from '../../rows/span-row.ts'
import type { TimeWindow } from '../../rules/certain-clock.ts'
import { type HeldFact, type HeldRow, heldOfRow, refuseDecided } from '../../storing/held-facts.ts'
import { orderKeyOf } from '../../storing/order-key.ts'
import type { KnownPeer } from '../../storing/peers.ts'
import type { FactValues } from '../../storing/reconciled-facts.ts'
import type { TokenRow } from '../../storing/token-jobs.ts'
import { type StoredToken, tokenOfRow } from '../../storing/token-row.ts'
import type { Sql, WriterSql } from '../database/sql.ts'

/** What a transaction is about to store, as far as the database has to be asked for it. */
export interface Needs {
  readonly facts: readonly { readonly environment: Realm; readonly fact: Fact }[]
  /** Fingerprints. */
  readonly peers: readonly string[]
  readonly tokens: readonly { readonly environment: Realm; readonly token: string }[]
  readonly callbackIds: readonly number[]
}

/** The answers. The rules of storing ask for nothing else. */
export interface KnownFacts {
  /** Positions of events, by the hash of their fact in hexadecimal. */
  readonly positions: Map<string, number>
  /** Numbers of facts in quarantine, likewise. */
  readonly held: Map<string, number>
  /** Positions of events that the service was asked for, by `reconciledText`. */
  readonly reconciled: Map<string, number>
  /** Order keys of unfinished deliveries, from `orderText`. */
  readonly orderKeys: Set<string>
  readonly routes: Map<string, ChargeRoute>
  readonly peers: Map<string, KnownPeer>
  readonly tokens: TokenRow[]
  readonly callbacks: Map<number, { readonly callback: HashedCallback; readonly body: Uint8Array }>
}

export function orderText(destinationId: number, orderKey: number): string {
  return `${destinationId} ${orderKey}`
}

export function reconciledText(environment: Realm, { kind, subject, status }: FactValues): string {
  return JSON.stringify([kind, environment, subject, status])
}

export async function readKnownFacts(
  sql: WriterSql,
  needs: Needs,
  { destinations, window }: { readonly destinations: readonly Destination[]; readonly window: TimeWindow },
): Promise<KnownFacts> {
  const [indexed, routes, tokens, callbacks] = await Promise.all([
    readIndexed(sql, needs, destinations, window),
    readRoutes(sql, needs),
    readTokens(sql, needs.tokens),
    readCallbacks(sql, needs.callbackIds),
  ])
  return { ...indexed, routes, tokens, callbacks }
}

/** What a key leads to; of `order` the key alone. */
interface FoundRow {
  readonly sort: 'event' | 'held' | 'order' | 'peer' | 'reconciled'
  readonly key: string
  readonly id: number | null
  readonly at: number | null
  readonly environment: Realm | null
}

/**
 * Each key is a scan of its index: `offset 0` and `limit 1` keep PostgreSQL from reading the table as a whole, which it does where an index is not unique and
 * there are no statistics (a new database, or one behind pg_restore). A released fact is found through its event, as long as that is in the window.
 */
const LOOKUPS = {
  event: `select 'event', encode(k.hash, 'hex'), f.id, f.received_at, null::text from unnest(:hashes::bytea[]) as k (hash)
    cross join lateral (
      select id, received_at from events where substr(fact_hash, 1, 8) = substr(k.hash, 1, 8) and fact_hash = k.hash offset 0) as f`,
  held: `select 'held', encode(k.hash, 'hex'), f.id, f.received_at, null::text from unnest(:held::bytea[]) as k (hash)
    cross join lateral (select id, received_at from quarantine where fact_hash = k.hash and state <> 'released' offset 0) as f`,
  order: `select 'order', k.destination_id || ' ' || k.order_key, null::bigint, null::timestamptz, null::text
    from unnest(:destinationIds::bigint[], :orderKeys::bigint[]) as k (destination_id, order_key)
    cross join lateral (select from deliveries d where d.destination_id = k.destination_id and d.order_key = k.order_key limit 1) as f`,
  peer: `select 'peer', fingerprint, id, last_seen_at, environment from peers where fingerprint = any(:fingerprints::text[])`,
  reconciled: `select 'reconciled', r.key::text, f.event_id, null::timestamptz, null::text
    from unnest(:kinds::text[], :environments::text[], :subjects::text[], :statuses::text[])
      with ordinality as r (kind, environment, subject, status, key)
    join reconciled_facts f using (kind, environment, subject, status)`,
}

/** All that has an index of its own, by one query. */
async function readIndexed(
  sql: WriterSql,
  needs: Needs,
  destinations: readonly Destination[],
  window: TimeWindow,
): Promise<Pick<KnownFacts, 'positions' | 'held' | 'orderKeys' | 'peers' | 'reconciled'>> {
  const { facts, peers: fingerprints } = needs
  const hashes = facts.flatMap(({ fact }) => fact.hash ?? [])
  const held = facts.flatMap(({ fact }) => (fact.quarantine === undefined ? [] : (fact.hash ?? [])))
  const pairs = [...orderPairs(needs, destinations).values()]
  const told = facts.filter(({ fact: { subject, status } }) => subject !== null && status !== null)
  const asked = { event: hashes, held, order: pairs, peer: fingerprints, reconciled: told }
  const sorts = (Object.keys(LOOKUPS) as FoundRow['sort'][]).filter((sort) => asked[sort].length > 0)
  const rows =
    sorts.length === 0
      ? []
      : await sql.often<FoundRow>(
          `select * from (${sorts.map((sort) => LOOKUPS[sort]).join(' union all ')}) as found (sort, key, id, at, environment) order by id desc`,
          {
            hashes,
            held,
            fingerprints,
            destinationIds: pairs.map(([id]) => id),
            orderKeys: pairs.map(([, key]) => key),
            kinds: told.map(({ fact }) => fact.kind),
            environments: told.map(({ environment }) => environment),
            subjects: told.map(({ fact }) => fact.subject),
            statuses: told.map(({ fact }) => fact.status),
          },
        )
  const found = (sort: FoundRow['sort']) => rows.filter((row) => row.sort === sort)
  return {
    positions: newestInside(found('event'), window),
    held: newestInside(found('held'), window),
    orderKeys: new Set(found('order').map(({ key }) => key)),
    peers: new Map(found('peer').map(({ key, ...peer }) => [key, knownPeer(peer)])),
    reconciled: reconciledAt(told, found('reconciled')),
  }
}

/** The key of a row is the place of its fact, from 1. */
function reconciledAt(told: Needs['facts'], rows: readonly FoundRow[]): Map<string, number> {
  return new Map(
    rows.map(({ key, id }) => {
      const { environment, fact } = told[Number(key) - 1] as Needs['facts'][number]
      return [reconciledText(environment, fact), id as number]
    }),
  )
}

function knownPeer({ id, at, environment }: Omit<FoundRow, 'key'>): KnownPeer {
  return { id: id as number, seenAt: at as number, environment: environment as Realm }
}

function newestInside(rows: readonly FoundRow[], window: TimeWindow): Map<string, number> {
  const found = new Map<string, number>()
  for (const { id, key, at } of rows) if (!found.has(key) && window.has(at as number)) found.set(key, id as number)
  return found
}

/** Order keys that the facts may have, from `orderText`. */
function orderPairs({ facts }: Needs, destinations: readonly Destination[]): Map<string, readonly [number, number]> {
  const pairs = new Map<string, readonly [number, number]>()
  for (const destination of destinations.filter(({ order }) => order !== 'none'))
    for (const { environment, fact } of facts) {
      const key = orderKeyOf(destination, { environment, subject: fact.subject })
      if (key !== null) pairs.set(orderText(destination.id, key), [destination.id, key])
    }
  return pairs
}

async function readRoutes(sql: Sql, { facts }: Needs): Promise<Map<string, ChargeRoute>> {
  const keys = facts.flatMap(({ environment, fact: { references } }) => keysOf(environment, references))
  if (keys.length === 0) return new Map()
  const rows = await sql.all<RouteRow>(
    `select r.* from charge_routes r join unnest(:environments::text[], :resources::text[], :ids::text[]) as k (environment, resource, resource_id)
      using (environment, resource, resource_id)`,
    {
      environments: keys.map(({ environment }) => environment),
      resources: keys.map(({ resource }) => resource),
      ids: keys.map(({ resourceId }) => resourceId),
    },
  )
  return new Map(rows.map((row) => [routeText(routeOfRow(row)), routeOfRow(row)]))
}

function keysOf(environment: Realm, references: ChargeReferences | undefined) {
  const { charge = null, subscription = null } = references ?? {}
  return [
    ...(charge === null ? [] : [{ environment, resource: 'charge', resourceId: charge } as const]),
    ...(subscription === null ? [] : [{ environment, resource: 'subscription', resourceId: subscription } as const]),
  ]
}

async function readTokens(sql: Sql, tokens: Needs['tokens']): Promise<TokenRow[]> {
  if (tokens.length === 0) return []
  const rows = await sql.all<StoredToken>(
    `select t.* from notification_tokens t join unnest(:environments::text[], :tokens::text[]) as k (environment, token) using (environment, token)`,
    { environments: tokens.map(({ environment }) => environment), tokens: tokens.map(({ token }) => token) },
  )
  return rows.map(tokenOfRow)
}

async function readCallbacks(sql: Sql, ids: readonly number[]): Promise<KnownFacts['callbacks']> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<HashedCallback & { id: number; body: Buffer }>(
    `select c.callback_id as id, c.kind, c.listener, c.authentication, p.fingerprint as "peerFingerprint", c.remote_address as "remoteAddress", c.target,
      c.tls_version as "tlsVersion", c.cipher, c.content_type as "contentType", c.headers, c.mark, c.body
    from callbacks c left join peers p on p.id = c.peer_id where c.callback_id = any(:ids::bigint[])`,
    { ids },
  )
  return new Map(rows.map(({ id, body, ...callback }) => [id, { callback, body }]))
}

/** @throws PortariaError `not_found`; `conflict` when it was decided before */
export async function readHeldFact(sql: Sql, id: number): Promise<HeldFact> {
  const row = await sql.get<HeldRow & SpanRow>('select * from quarantine where id = :id', { id })
  refuseDecided(id, row)
  return heldOfRow(row as HeldRow, spanOfRow(row as SpanRow))
}
