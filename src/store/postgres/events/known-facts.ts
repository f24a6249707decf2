import type { Destination } from '../../../domain/destination.ts'
import type { ChargeReferences, Fact } from '../../../domain/event.ts'
import { type HashedCallback, hexOf } from '../../../domain/event-hash.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { ChargeRoute } from '../../../domain/service/charge-route.ts'
import { type SpanRow, spanOfRow } from '../../rows/span-row.ts'
import type { TimeWindow } from '../../rules/certain-clock.ts'
import { type HeldFact, type HeldRow, heldOfRow, refuseDecided } from '../../storing/held-facts.ts'
import { orderKeyOf } from '../../storing/order-key.ts'
import type { KnownPeer } from '../../storing/peers.ts'
import type { TokenRow } from '../../storing/token-jobs.ts'
import { type RouteRow, routeOfRow, routeText } from '../charge-routes.ts'
import type { Sql } from '../database/sql.ts'
import { type StoredToken, tokenOfRow } from './token-rows.ts'

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

export async function readKnownFacts(
  sql: Sql,
  needs: Needs,
  { destinations, window }: { readonly destinations: readonly Destination[]; readonly window: TimeWindow },
): Promise<KnownFacts> {
  const hashes = needs.facts.flatMap(({ fact }) => fact.hash ?? [])
  return {
    positions: await readPositions(sql, hashes, window),
    held: await readHeld(
      sql,
      needs.facts.flatMap(({ fact }) => (fact.quarantine === undefined ? [] : (fact.hash ?? []))),
      window,
    ),
    orderKeys: await readOrderKeys(sql, needs, destinations),
    routes: await readRoutes(sql, needs),
    peers: await readPeers(sql, needs.peers),
    tokens: await readTokens(sql, needs.tokens),
    callbacks: await readCallbacks(sql, needs.callbackIds),
  }
}

interface FactRow {
  readonly id: number
  readonly fact_hash: Buffer
  readonly received_at: number
}

function newestInside(rows: readonly FactRow[], window: TimeWindow): Map<string, number> {
  const found = new Map<string, number>()
  for (const { id, fact_hash: hash, received_at: receivedAt } of rows) {
    const key = hexOf(hash)
    if (!found.has(key) && window.has(receivedAt)) found.set(key, id)
  }
  return found
}

async function readPositions(sql: Sql, hashes: readonly Uint8Array[], window: TimeWindow) {
  if (hashes.length === 0) return new Map<string, number>()
  const rows = await sql.all<FactRow>(
    `select id, fact_hash, received_at from events
    where fact_hash = any(:hashes::bytea[]) and received_at > at_ms(:since) order by id desc`,
    { hashes, since: Math.floor(window.since()) },
  )
  return newestInside(rows, window)
}

/** A released fact is found through its event, as long as that is in the window. */
async function readHeld(sql: Sql, hashes: readonly Uint8Array[], window: TimeWindow) {
  if (hashes.length === 0) return new Map<string, number>()
  const rows = await sql.all<FactRow>(
    `select id, fact_hash, received_at from quarantine
    where fact_hash = any(:hashes::bytea[]) and state <> 'released' and received_at > at_ms(:since) order by id desc`,
    { hashes, since: Math.floor(window.since()) },
  )
  return newestInside(rows, window)
}

async function readOrderKeys(sql: Sql, { facts }: Needs, destinations: readonly Destination[]): Promise<Set<string>> {
  const ordered = destinations.filter(({ order }) => order !== 'none')
  const pairs = new Map<string, readonly [number, number]>()
  for (const destination of ordered)
    for (const { environment, fact } of facts) {
      const key = orderKeyOf(destination, { environment, subject: fact.subject })
      if (key !== null) pairs.set(orderText(destination.id, key), [destination.id, key])
    }
  if (pairs.size === 0) return new Set()
  const rows = await sql.all<{ destination_id: number; order_key: number }>(
    `select destination_id, order_key from unnest(:ids::bigint[], :keys::bigint[]) as r (destination_id, order_key)
    where exists (select from deliveries d where d.destination_id = r.destination_id and d.order_key = r.order_key)`,
    { ids: [...pairs.values()].map(([id]) => id), keys: [...pairs.values()].map(([, key]) => key) },
  )
  return new Set(rows.map((row) => orderText(row.destination_id, row.order_key)))
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

async function readPeers(sql: Sql, fingerprints: readonly string[]): Promise<Map<string, KnownPeer>> {
  if (fingerprints.length === 0) return new Map()
  const rows = await sql.all<{ fingerprint: string; id: number; last_seen_at: number; environment: Realm }>(
    'select fingerprint, id, last_seen_at, environment from peers where fingerprint = any(:fingerprints::text[])',
    { fingerprints },
  )
  return new Map(
    rows.map((row) => [row.fingerprint, { id: row.id, seenAt: row.last_seen_at, environment: row.environment }]),
  )
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
    `select c.id, c.kind, c.listener, c.authentication, p.fingerprint as "peerFingerprint", c.remote_address as "remoteAddress", c.target,
      c.tls_version as "tlsVersion", c.cipher, c.content_type as "contentType", c.headers, c.mark, c.body
    from callbacks c left join peers p on p.id = c.peer_id where c.id = any(:ids::bigint[])`,
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
