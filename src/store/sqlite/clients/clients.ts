import type { Client, NewClient } from '../../../domain/client.ts'
import type { RotatedSecret } from '../../../domain/store.ts'
import type { ClientRow } from '../../rows/client-row.ts'
import { clientOfRow } from '../../rows/client-row.ts'
import { knownClient, refuseClient, refuseRevoked } from '../../rules/clients.ts'
import type { Connection } from '../database/connection.ts'

/** Inside the transaction. */
export interface Clients {
  create(client: NewClient, now: number): Client
  rotate(id: string, secret: RotatedSecret, now: number): Client
  revoke(id: string, now: number): Client
  keepTokenKey(offered: string): string
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

  return {
    create(client, now) {
      refuseClient(client.name, findName.get(client.name), count.get() ?? 0)
      return changed(insert.get({ ...client, scopes: JSON.stringify(client.scopes), now }))
    },
    rotate(id, { secretHash, previousValidUntil }, now) {
      refuseRevoked(knownClient(id, find.get(id)))
      return changed(rotate.get({ id, secretHash, previousValidUntil, now }))
    },
    revoke(id, now) {
      const row = knownClient(id, find.get(id))
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
