import type { Client, ClientEnvironment } from '../../domain/client.ts'
import { newClientId } from '../../domain/public-id.ts'
import type { Scope } from '../../domain/scopes.ts'
import { hashOfSecret, newClientSecret } from '../../domain/secrets/client-secret.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'

export interface ClientSettings {
  readonly name: string
  readonly environment: ClientEnvironment
  readonly scopes: readonly Scope[]
}

/** A client with its secret, which is not stored. */
export interface Issued {
  readonly client: Client
  readonly secret: string
}

/** The clients. Active ones are also in memory, so that a change takes effect before its request is answered. */
export interface ClientRegistry {
  /** A client that is not revoked, in its current state. */
  find(id: string): Client | undefined
  list(options?: { revoked?: boolean }): Promise<Client[]>
  /** By id or name; revoked clients only by id. @throws PortariaError `not_found` */
  get(idOrName: string): Promise<Client>
  create(settings: ClientSettings): Promise<Issued>
  /** The previous secret stays valid for `graceMs`; with 0, its tokens become invalid too. */
  rotate(idOrName: string, graceMs: number): Promise<Issued>
  revoke(idOrName: string): Promise<Client>
  /** Reads the clients again, which another process may have changed. */
  refresh(): Promise<void>
}

export async function openClientRegistry(store: Store, now: () => number): Promise<ClientRegistry> {
  let live = await readLive()
  /** Changes of this process. */
  let changed = 0

  async function readLive(): Promise<Map<string, Client>> {
    return new Map((await store.listClients()).map((client) => [client.id, client]))
  }

  function keep(client: Client): Client {
    changed++
    if (client.revokedAt === null) live.set(client.id, client)
    else live.delete(client.id)
    return client
  }

  async function get(idOrName: string): Promise<Client> {
    return findClient(await store.listClients({ revoked: true }), idOrName)
  }

  return {
    find: (id) => live.get(id),
    list: (options) => store.listClients(options),
    get,
    async create(settings) {
      const secret = newClientSecret()
      const { name, environment, scopes } = settings
      const made = { id: newClientId(), name, environment, scopes, secretHash: hashOfSecret(secret) }
      return { client: keep(await store.createClient(made, now())), secret }
    },
    async rotate(idOrName, graceMs) {
      const { id } = await get(idOrName)
      const secret = newClientSecret()
      const previousValidUntil = graceMs === 0 ? null : now() + graceMs
      const rotated = { secretHash: hashOfSecret(secret), previousValidUntil }
      const client = await store.rotateClient(id, rotated, now())
      // Another process may have revoked it behind this change.
      return { client: live.has(id) ? keep(client) : client, secret }
    },
    async revoke(idOrName) {
      const { id } = await get(idOrName)
      return keep(await store.revokeClient(id, now()))
    },
    async refresh() {
      for (let before = -1; before !== changed; ) {
        before = changed
        const read = await readLive()
        // What was read is older than a change of this process.
        if (before === changed) live = read
      }
    },
  }
}

/** @throws PortariaError `not_found` */
export function findClient(clients: readonly Client[], idOrName: string): Client {
  const isMeant = ({ id, name, revokedAt }: Client) => id === idOrName || (revokedAt === null && name === idOrName)
  const found = clients.find(isMeant)
  if (found !== undefined) return found
  const text = idOrName.slice(0, 64)
  throw new PortariaError(
    'not_found',
    say`there is no client ${{ id: text }}: ${{ command: COMMAND }} clients list shows all`,
  )
}
