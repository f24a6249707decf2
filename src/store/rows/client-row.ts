import type { Client, ClientEnvironment } from '../../domain/client.ts'
import type { Scope } from '../../domain/scopes.ts'

export interface ClientRow {
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

export function clientOfRow(row: ClientRow): Client {
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
