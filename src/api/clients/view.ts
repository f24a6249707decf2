import type { Client } from '../../domain/client.ts'
import type { ScopeNames } from '../../domain/scopes.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { clientViewSchema } from './schema.ts'

/** Without secrets and their hashes. */
export function clientView(client: Client, names: ScopeNames): View<typeof clientViewSchema> {
  return {
    clientId: client.id,
    name: client.name,
    environment: client.environment,
    scopes: client.scopes.map(names.nameOf),
    createdAt: iso(client.createdAt),
    rotatedAt: isoOrNull(client.rotatedAt),
    previousSecretUntil: isoOrNull(client.previousSecret?.validUntil ?? null),
    revokedAt: isoOrNull(client.revokedAt),
  }
}
