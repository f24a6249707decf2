import express, { type RequestHandler, type Response, Router } from 'express'
import type { Client } from '../domain/client.ts'
import type { ScopeNames } from '../domain/scopes.ts'
import type { ClientRegistry, Issued } from './client-registry.ts'
import { parseClient, parseGrace } from './client-schema.ts'
import { sendJson } from './event-routes.ts'
import { iso, isoOrNull } from './event-text.ts'
import { QueryReader } from './query.ts'

export interface ClientRoutesOptions {
  readonly clients: ClientRegistry
  readonly scopeNames: ScopeNames
}

/** `/v1/clients` */
export function clientRoutes({ clients, scopeNames }: ClientRoutesOptions): Router {
  const router = Router()
  const json = [requireJson, express.json({ limit: '16kb', inflate: false })]

  router.get('/v1/clients', async function listClients(request, response) {
    const query = new QueryReader(request.url, ['revoked', 'limit'])
    const limit = query.limit()
    const revoked = query.text('revoked') ?? 'false'
    if (!['true', 'false'].includes(revoked)) query.reject('revoked: true or false')
    query.done()
    const all = await clients.list({ revoked: revoked === 'true' })
    const data = all.slice(0, limit).map((client) => clientView(client, scopeNames))
    sendJson(response, JSON.stringify({ data, more: all.length > limit }))
  })

  router.post('/v1/clients', ...json, async function createClient(request, response) {
    const issued = await clients.create(parseClient(request.body, scopeNames))
    response.status(201).location(`/v1/clients/${issued.client.id}`)
    sendIssued(response, issued)
  })

  router.get('/v1/clients/:id', async function showClient(request, response) {
    sendJson(response, JSON.stringify(clientView(await clients.get(request.params.id), scopeNames)))
  })

  router.post('/v1/clients/:id/rotate', ...json, async function rotateClient(request, response) {
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

/** The body parser would pass over any other type as if there were no body, and `grace` with it. */
const requireJson: RequestHandler = function requireJson(request, _response, next) {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const isEmpty = encoding === undefined && Number(length ?? 0) === 0
  next(
    isEmpty || request.is('application/json')
      ? undefined
      : Object.assign(new Error('the body is not JSON'), { status: 415 }),
  )
}

/** Everything but secrets, and what is kept of them. */
export function clientView(client: Client, names: ScopeNames) {
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
