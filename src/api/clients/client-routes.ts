import { type Response, Router } from 'express'
import type { Client } from '../../domain/client.ts'
import type { ScopeNames } from '../../domain/scopes.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import { sendJson } from '../http/answer.ts'
import { optionalJsonBody, requiredJsonBody } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import type { View } from '../http/schema-parts.ts'
import { clientQuery, type clientViewSchema } from './client-operations.ts'
import type { ClientRegistry, Issued } from './registry.ts'
import { parseClient, parseGrace } from './schema.ts'

export interface ClientRoutesOptions {
  readonly clients: ClientRegistry
  readonly scopeNames: ScopeNames
}

/** `/v1/clients` */
export function clientRoutes({ clients, scopeNames }: ClientRoutesOptions): Router {
  const router = Router()

  router.get('/v1/clients', async function listClients(request, response) {
    const { revoked, limit } = readQuery(request.url, clientQuery)
    const all = await clients.list({ revoked })
    const data = all.slice(0, limit).map((client) => clientView(client, scopeNames))
    sendJson(response, JSON.stringify({ data, more: all.length > limit }))
  })

  router.post('/v1/clients', ...requiredJsonBody(), async function createClient(request, response) {
    const issued = await clients.create(parseClient(request.body, scopeNames))
    response.status(201).location(`/v1/clients/${issued.client.id}`)
    sendIssued(response, issued)
  })

  router.get('/v1/clients/:id', async function showClient(request, response) {
    sendJson(response, JSON.stringify(clientView(await clients.get(request.params.id), scopeNames)))
  })

  router.post('/v1/clients/:id/rotate', ...optionalJsonBody, async function rotateClient(request, response) {
    sendIssued(response, await clients.rotate(String(request.params.id), parseGrace(request.body)))
  })

  router.post('/v1/clients/:id/revoke', async function revokeClient(request, response) {
    sendJson(response, JSON.stringify(clientView(await clients.revoke(request.params.id), scopeNames)))
  })

  /** The one time that the secret is shown. */
  function sendIssued(response: Response, { client, secret }: Issued): void {
    sendJson(response, JSON.stringify({ ...clientView(client, scopeNames), clientSecret: secret }))
  }

  return router
}

/** Everything but secrets, and what is kept of them. */
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
