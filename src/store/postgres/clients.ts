import type { Client, NewClient } from '../../domain/client.ts'
import type { RotatedSecret } from '../../domain/store.ts'
import { type ClientRow, clientOfRow } from '../rows/client-row.ts'
import { knownClient, refuseClient, refuseRevoked } from '../rules/clients.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

function find(sql: Sql, id: string): Promise<ClientRow | undefined> {
  return sql.get<ClientRow>('select * from clients where id = :id for update', { id })
}

export async function createClient(_parts: unknown, { sql }: Transaction, client: NewClient, now: number) {
  const named = await sql.get('select 1 from clients where name = :name and revoked_at is null', { name: client.name })
  const counted = await sql.get<{ n: number }>('select count(*) as n from clients where revoked_at is null')
  refuseClient(client.name, named, counted?.n ?? 0)
  const row = await sql.get<ClientRow>(
    `insert into clients (id, name, environment, scopes, secret_hash, created_at)
    values (:id, :name, :environment, :scopes, :secretHash, at_ms(:now)) returning *`,
    { ...client, scopes: JSON.stringify(client.scopes), now },
  )
  return clientOfRow(row as ClientRow)
}

/** Invalidating a secret also invalidates its tokens. */
export async function rotateClient(
  _parts: unknown,
  { sql }: Transaction,
  id: string,
  secret: RotatedSecret,
  now: number,
): Promise<Client> {
  refuseRevoked(knownClient(id, await find(sql, id)))
  const row = await sql.get<ClientRow>(
    `update clients set secret_hash = :secretHash, rotated_at = at_ms(:now), previous_valid_until = at_ms(:previousValidUntil),
      previous_secret_hash = case when :previousValidUntil::bigint is null then null else secret_hash end,
      generation = generation + case when :previousValidUntil::bigint is null then 1 else 0 end
    where id = :id returning *`,
    { id, ...secret, now },
  )
  return clientOfRow(row as ClientRow)
}

export async function revokeClient(_parts: unknown, { sql }: Transaction, id: string, now: number): Promise<Client> {
  const known = knownClient(id, await find(sql, id))
  if (known.revoked_at !== null) return clientOfRow(known)
  const row = await sql.get<ClientRow>(
    `update clients set revoked_at = at_ms(:now), generation = generation + 1, previous_secret_hash = null, previous_valid_until = null
    where id = :id returning *`,
    { id, now },
  )
  return clientOfRow(row as ClientRow)
}

export async function keepTokenKey(_parts: unknown, { sql }: Transaction, offered: string): Promise<string> {
  const row = await sql.get<{ value: string }>(
    `insert into meta (key, value) values ('token_key', :offered) on conflict (key) do update set value = meta.value returning value`,
    { offered },
  )
  return (row as { value: string }).value
}

export async function listClients(sql: Sql, { revoked = false }: { revoked?: boolean } = {}): Promise<Client[]> {
  const rows = await sql.all<ClientRow>(
    `select * from clients ${revoked ? '' : 'where revoked_at is null'} order by created_at, id`,
  )
  return rows.map(clientOfRow)
}
