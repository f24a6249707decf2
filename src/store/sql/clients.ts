import { CLIENT_LIMIT, type Client, type ClientEnvironment, type NewClient } from '../../domain/client.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { RotatedSecret } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Asked, all, get, one } from './asked.ts'
import type { Dialect } from './dialect.ts'

interface ClientRow {
  readonly id: string
  readonly name: string
  readonly environment: ClientEnvironment
  readonly scopes: string
  readonly secret_hash: string
  readonly previous_secret_hash: string | null
  readonly previous_valid_until: number | null
  readonly generation: number
  readonly created_at: number
  readonly rotated_at: number | null
  readonly revoked_at: number | null
}

function clientOf(row: ClientRow): Client {
  const { previous_secret_hash: hash, previous_valid_until: validUntil } = row
  return {
    id: row.id,
    name: row.name,
    environment: row.environment,
    scopes: JSON.parse(row.scopes) as Scope[],
    secretHash: row.secret_hash,
    previousSecret: hash === null || validUntil === null ? null : { hash, validUntil },
    generation: row.generation,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    revokedAt: row.revoked_at,
  }
}

/** @throws PortariaError `not_found` */
function* find({ forUpdate }: Dialect, id: string): Asked<ClientRow> {
  const row = yield* get<ClientRow>(`select * from clients where id = :id ${forUpdate}`, { id })
  if (row === undefined) throw new PortariaError('not_found', `there is no client ${id.slice(0, 64)}`)
  return row
}

export function* createClient(d: Dialect, client: NewClient, now: number): Asked<Client> {
  const { name } = client
  if ((yield* get('select 1 from clients where name = :name and revoked_at is null', { name })) !== undefined)
    throw new PortariaError(
      'conflict',
      `there is a client named ${name} already: choose another name, or revoke that one first`,
    )
  if ((yield* one<{ n: number }>('select count(*) as n from clients where revoked_at is null')).n >= CLIENT_LIMIT)
    throw new PortariaError('conflict', `there are ${CLIENT_LIMIT} clients already: revoke one that is not used`)
  const row = yield* one<ClientRow>(
    `insert into clients (id, name, environment, scopes, secret_hash, created_at)
    values (:id, :name, :environment, :scopes, :secretHash, ${d.time(':now')}) returning *`,
    { ...client, scopes: JSON.stringify(client.scopes), now },
  )
  return clientOf(row)
}

/** Invalidating a secret also invalidates its tokens. */
export function* rotateClient(d: Dialect, id: string, secret: RotatedSecret, now: number): Asked<Client> {
  const { name, revoked_at: revokedAt } = yield* find(d, id)
  if (revokedAt !== null)
    throw new PortariaError('conflict', `the client ${name} was revoked: create another in its place`)
  const isInvalid = 'cast(:previousValidUntil as bigint) is null'
  const row = yield* one<ClientRow>(
    `update clients set secret_hash = :secretHash, rotated_at = ${d.time(':now')}, previous_valid_until = ${d.time(':previousValidUntil')},
      previous_secret_hash = case when ${isInvalid} then null else secret_hash end, generation = generation + case when ${isInvalid} then 1 else 0 end
    where id = :id returning *`,
    { id, ...secret, now },
  )
  return clientOf(row)
}

export function* revokeClient(d: Dialect, id: string, now: number): Asked<Client> {
  const known = yield* find(d, id)
  if (known.revoked_at !== null) return clientOf(known)
  const row = yield* one<ClientRow>(
    `update clients set revoked_at = ${d.time(':now')}, generation = generation + 1, previous_secret_hash = null, previous_valid_until = null
    where id = :id returning *`,
    { id, now },
  )
  return clientOf(row)
}

export function* keepTokenKey(_: Dialect, offered: string): Asked<string> {
  const row = yield* one<{ value: string }>(
    `insert into meta (key, value) values ('token_key', :offered) on conflict (key) do update set value = meta.value returning value`,
    { offered },
  )
  return row.value
}

export function* listClients(_: Dialect, { revoked = false }: { revoked?: boolean } = {}): Asked<Client[]> {
  const rows = yield* all<ClientRow>(
    `select * from clients ${revoked ? '' : 'where revoked_at is null'} order by created_at, id`,
  )
  return rows.map(clientOf)
}
