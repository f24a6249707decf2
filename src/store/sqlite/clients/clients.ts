import { CLIENT_LIMIT, type Client, type ClientEnvironment, type NewClient } from '../../../domain/client.ts'
import type { Scope } from '../../../domain/scopes.ts'
import type { RotatedSecret } from '../../../domain/store.ts'
import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from '../database/connection.ts'

/** Inside the transaction. */
export interface Clients {
  create(client: NewClient, now: number): Client
  rotate(id: string, secret: RotatedSecret, now: number): Client
  revoke(id: string, now: number): Client
  keepTokenKey(offered: string): string
}

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

export function createClients(db: Connection): Clients {
  const count = db.prepare<[], number>('select count(*) from clients where revoked_at is null').pluck()
  const find = db.prepare<[string], ClientRow>('select * from clients where id = ?')
  const findName = db.prepare<[string], ClientRow>('select * from clients where name = ? and revoked_at is null')
  const insert = db.prepare<object, ClientRow>(`
    insert into clients (id, name, environment, scopes, secret_hash, created_at)
    values (:id, :name, :environment, :scopes, :secretHash, :now) returning *`)
  // Invalidating a secret also invalidates its tokens.
  const rotate = db.prepare<object, ClientRow>(`
    update clients set secret_hash = :secretHash, rotated_at = :now, previous_valid_until = :previousValidUntil,
      previous_secret_hash = iif(:previousValidUntil is null, null, secret_hash),
      generation = generation + (:previousValidUntil is null)
    where id = :id returning *`)
  const revoke = db.prepare<object, ClientRow>(`
    update clients set revoked_at = :now, generation = generation + 1, previous_secret_hash = null, previous_valid_until = null
    where id = :id returning *`)
  const keepKey = db.prepare<[string], { value: string }>(`
    insert into meta (key, value) values ('token_key', ?) on conflict (key) do update set value = value returning value`)

  /** @throws PortariaError `not_found` */
  function need(id: string): ClientRow {
    const row = find.get(id)
    if (row === undefined) throw new PortariaError('not_found', `there is no client ${id.slice(0, 64)}`)
    return row
  }

  return {
    create(client, now) {
      if (findName.get(client.name) !== undefined) {
        throw new PortariaError(
          'conflict',
          `there is a client named ${client.name} already: choose another name, or revoke that one first`,
        )
      }
      if ((count.get() ?? 0) >= CLIENT_LIMIT)
        throw new PortariaError('conflict', `there are ${CLIENT_LIMIT} clients already: revoke one that is not used`)
      return changed(insert.get({ ...client, scopes: JSON.stringify(client.scopes), now }))
    },
    rotate(id, { secretHash, previousValidUntil }, now) {
      const { name, revoked_at } = need(id)
      if (revoked_at !== null)
        throw new PortariaError('conflict', `the client ${name} was revoked: create another in its place`)
      return changed(rotate.get({ id, secretHash, previousValidUntil, now }))
    },
    revoke(id, now) {
      const row = need(id)
      return row.revoked_at === null ? changed(revoke.get({ id, now })) : clientOfRow(row)
    },
    keepTokenKey: (offered) => (keepKey.get(offered) as { value: string }).value,
  }
}

export function listClients(db: Connection, { revoked = false }: { revoked?: boolean } = {}): Client[] {
  return db
    .prepare<[], ClientRow>(`
      select * from clients ${revoked ? '' : 'where revoked_at is null'} order by created_at, id`)
    .all()
    .map(clientOfRow)
}

function changed(row: ClientRow | undefined): Client {
  if (row === undefined) throw new Error('the client was not written')
  return clientOfRow(row)
}

function clientOfRow(row: ClientRow): Client {
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
