import type { Request, Response } from 'express'
import { type ScopeNames, warningsAbout } from '../../domain/scopes.ts'
import { membersOf } from '../audit/details.ts'
import { sendJson } from '../http/answer.ts'
import { type Endpoint, segmentOf } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import type { ClientRegistry, Issued } from './registry.ts'
import {
  clientListSchema,
  clientQuerySchema,
  clientRotationSchema,
  clientSchema,
  clientViewSchema,
  issuedSchema,
  parseClient,
  parseGrace,
} from './schema.ts'
import { clientView } from './view.ts'

export interface ClientEndpointsOptions {
  readonly clients: ClientRegistry
  readonly scopeNames: ScopeNames
}

const common = { tag: 'Clients', access: 'operator', errors: 'problem' } as const
const one = { ...common, segments: { id: 'Id of the client, or its name unless it is revoked.' } }

export function clientEndpoints(options: ClientEndpointsOptions): readonly Endpoint[] {
  return [
    listClients(options),
    createClient(options),
    showClient(options),
    rotateClient(options),
    revokeClient(options),
  ]
}

function listClients({ clients, scopeNames }: ClientEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'listClients', method: 'get', path: '/v1/clients' },
    summary: 'List clients',
    query: clientQuerySchema,
    answers: {
      200: { description: 'Clients, oldest first.', schema: clientListSchema },
    },
    async handler(request, response) {
      const { revoked, limit } = readQuery(request.url, clientQuerySchema)
      const all = await clients.list({ revoked })
      const data = all.slice(0, limit).map((client) => clientView(client, scopeNames))
      sendJson(response, { data, more: all.length > limit })
    },
  }
}

function createClient({ clients, scopeNames }: ClientEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'createClient', method: 'post', path: '/v1/clients' },
    summary: 'Create a client',
    details: (request) => membersOf(request, ['name', 'environment', 'scopes']),
    body: requiredBody(clientSchema(scopeNames), { name: 'shop', environment: 'sandbox', scopes: ['events.read'] }),
    answers: {
      201: {
        description: 'The created client. Store its secret: no other answer shows it.',
        schema: issuedSchema,
        headers: { location: { description: 'URL of the client.', schema: { type: 'string' } } },
      },
      409: { description: 'The name is taken, or the maximum number of clients is reached.' },
    },
    async handler(request, response) {
      const issued = await clients.create(parseClient(request.body, scopeNames))
      response.status(201).location(`/v1/clients/${issued.client.id}`)
      sendIssued(response, issued, scopeNames)
    },
  }
}

/** The only answers that show a secret. */
function sendIssued(response: Response, { client, secret }: Issued, scopeNames: ScopeNames): void {
  const warnings = warningsAbout(client.scopes)
  sendJson(response, {
    ...{ ...clientView(client, scopeNames), clientSecret: secret },
    ...(warnings.length > 0 && { warnings }),
  })
}

function showClient({ clients, scopeNames }: ClientEndpointsOptions): Endpoint {
  return {
    ...{ ...one, id: 'showClient', method: 'get', path: '/v1/clients/:id' },
    summary: 'Show a client',
    answers: { 200: { description: 'The client.', schema: clientViewSchema } },
    async handler(request, response) {
      sendJson(response, clientView(await clients.get(segmentOf(request, 'id')), scopeNames))
    },
  }
}

/** Empty: there is no such client, which the handler says. */
async function aboutClient(request: Request, { clients, scopeNames }: ClientEndpointsOptions) {
  const client = await clients.get(segmentOf(request, 'id')).catch(() => null)
  if (client === null) return {}
  const { clientId, name, environment, scopes } = clientView(client, scopeNames)
  return { client: clientId, name, environment, scopes }
}

function rotateClient(options: ClientEndpointsOptions): Endpoint {
  const { clients, scopeNames } = options
  return {
    ...{ ...one, id: 'rotateClient', method: 'post', path: '/v1/clients/:id/rotate' },
    summary: 'Rotate the secret of a client',
    details: async (request) => ({ ...(await aboutClient(request, options)), ...membersOf(request, ['grace']) }),
    description:
      'The previous secret stays valid for the grace period. With a grace of 0, tokens issued for it stop working immediately.',
    body: optionalBody(clientRotationSchema, { grace: '24h' }),
    answers: {
      200: { description: 'The client with its new secret.', schema: issuedSchema },
      409: { description: 'The client is revoked.' },
    },
    async handler(request, response) {
      const issued = await clients.rotate(segmentOf(request, 'id'), parseGrace(request.body))
      sendIssued(response, issued, scopeNames)
    },
  }
}

function revokeClient(options: ClientEndpointsOptions): Endpoint {
  const { clients, scopeNames } = options
  return {
    ...{ ...one, id: 'revokeClient', method: 'post', path: '/v1/clients/:id/revoke' },
    summary: 'Revoke a client',
    details: (request) => aboutClient(request, options),
    description: 'Permanent. Its secrets and tokens stop working immediately.',
    answers: { 200: { description: 'The client.', schema: clientViewSchema } },
    async handler(request, response) {
      sendJson(response, clientView(await clients.revoke(segmentOf(request, 'id')), scopeNames))
    },
  }
}
