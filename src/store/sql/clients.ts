import { CLIENT_LIMIT, type Client, type NewClient } from '../../domain/client.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { RotatedSecret } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Asked, all, get, one } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { selected } from './table-texts.ts'

interface ClientRow extends Omit<Client, 'scopes' | 'previousSecret'> {
  readonly scopes: string
  readonly previousSecretHash: string | null
  readonly previousValidUntil: number | null
}

const COLUMNS = selected('clients')

function clientOf({ scopes, previousSecretHash: hash, previousValidUntil: validUntil, ...row }: ClientRow): Client {
  const previousSecret = hash === null || validUntil === null ? null : { hash, validUntil }
  return { ...row, scopes: JSON.parse(scopes) as Scope[], previousSecret }
}

/** @throws PortariaError `not_found` */
function* find({ forUpdate }: Dialect, id: string): Asked<ClientRow> {
  const row = yield* get<ClientRow>(`select ${COLUMNS} from clients where id = :id ${forUpdate}`, { id })
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
    values (:id, :name, :environment, :scopes, :secretHash, ${d.time(':now')}) returning ${COLUMNS}`,
    { ...client, scopes: JSON.stringify(client.scopes), now },
  )
  return clientOf(row)
}

/** Invalidating a secret also invalidates its tokens. */
export function* rotateClient(d: Dialect, id: string, secret: RotatedSecret, now: number): Asked<Client> {
  const { name, revokedAt } = yield* find(d, id)
  if (revokedAt !== null)
    throw new PortariaError('conflict', `the client ${name} was revoked: create another in its place`)
  const isInvalid = 'cast(:previousValidUntil as bigint) is null'
  const row = yield* one<ClientRow>(
    `update clients set secret_hash = :secretHash, rotated_at = ${d.time(':now')}, previous_valid_until = ${d.time(':previousValidUntil')},
      previous_secret_hash = case when ${isInvalid} then null else secret_hash end, generation = generation + case when ${isInvalid} then 1 else 0 end
    where id = :id returning ${COLUMNS}`,
    { id, ...secret, now },
  )
  return clientOf(row)
}

export function* revokeClient(d: Dialect, id: string, now: number): Asked<Client> {
  const known = yield* find(d, id)
  if (known.revokedAt !== null) return clientOf(known)
  const row = yield* one<ClientRow>(
    `update clients set revoked_at = ${d.time(':now')}, generation = generation + 1, previous_secret_hash = null, previous_valid_until = null
    where id = :id returning ${COLUMNS}`,
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
    `select ${COLUMNS} from clients ${revoked ? '' : 'where revoked_at is null'} order by created_at, id`,
  )
  return rows.map(clientOf)
}
