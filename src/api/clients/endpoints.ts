import { type ScopeNames, warningsAbout } from '../../domain/scopes.ts'
import { membersOf } from '../audit/details.ts'
import { type Call, endpoint, segmentOf } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import type { ClientRegistry, Issued } from './registry.ts'
import {
  clientListSchema,
  clientQuerySchema,
  clientRotationSchema,
  clientSchema,
  clientSettings,
  clientViewSchema,
  graceOf,
  issuedSchema,
} from './schema.ts'
import { clientView } from './view.ts'

export interface ClientEndpointsOptions {
  readonly clients: ClientRegistry
  readonly scopeNames: ScopeNames
}

const common = { tag: 'Clients', access: 'operator', errors: 'problem' } as const
const one = { ...common, segments: { id: 'Id of the client, or its name unless it is revoked.' } }

export function clientEndpoints(options: ClientEndpointsOptions) {
  return {
    listClients: listClients(options),
    createClient: createClient(options),
    showClient: showClient(options),
    rotateClient: rotateClient(options),
    revokeClient: revokeClient(options),
  }
}

function listClients({ clients, scopeNames }: ClientEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/clients',
    summary: 'List clients',
    query: clientQuerySchema,
    answers: {
      200: { description: 'Clients, oldest first.', schema: clientListSchema },
    },
    async run({ query: { revoked, limit } }) {
      const all = await clients.list({ revoked })
      const data = all.slice(0, limit).map((client) => clientView(client, scopeNames))
      return { json: { data, more: all.length > limit } }
    },
  })
}

function createClient({ clients, scopeNames }: ClientEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/clients',
    summary: 'Create a client',
    details: (call) => membersOf(call.body, ['name', 'environment', 'scopes']),
    body: requiredBody(clientSchema(scopeNames), {
      what: 'the client',
      example: { name: 'shop', environment: 'sandbox', scopes: ['events.read'] },
    }),
    answers: {
      201: {
        description: 'The created client. Store its secret: no other answer shows it.',
        schema: issuedSchema,
        headers: { location: { description: 'URL of the client.', schema: { type: 'string' } } },
      },
      409: { description: 'The name is taken, or the maximum number of clients is reached.' },
    },
    async run({ body }) {
      const issued = await clients.create(clientSettings(body, scopeNames))
      const location = `/v1/clients/${issued.client.id}`
      return { status: 201, headers: { location }, json: issuedView(issued, scopeNames) }
    },
  })
}

/** Only these answers show a secret. */
function issuedView({ client, secret }: Issued, scopeNames: ScopeNames) {
  const warnings = warningsAbout(client.scopes)
  return {
    ...clientView(client, scopeNames),
    clientSecret: secret,
    ...(warnings.length > 0 && { warnings }),
  }
}

function showClient({ clients, scopeNames }: ClientEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/clients/:id',
    summary: 'Show a client',
    answers: { 200: { description: 'The client.', schema: clientViewSchema } },
    async run(call) {
      return { json: clientView(await clients.get(segmentOf(call, 'id')), scopeNames) }
    },
  })
}

/** Empty: there is no such client, which the endpoint says. */
async function aboutClient(call: Call, { clients, scopeNames }: ClientEndpointsOptions) {
  const client = await clients.get(segmentOf(call, 'id')).catch(() => null)
  if (client === null) return {}
  const { clientId, name, environment, scopes } = clientView(client, scopeNames)
  return { client: clientId, name, environment, scopes }
}

function rotateClient(options: ClientEndpointsOptions) {
  const { clients, scopeNames } = options
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/clients/:id/rotate',
    summary: 'Rotate the secret of a client',
    details: async (call) => ({ ...(await aboutClient(call, options)), ...membersOf(call.body, ['grace']) }),
    description:
      'The previous secret stays valid for the grace period. With a grace of 0, tokens issued for it stop working immediately.',
    body: optionalBody(clientRotationSchema, { what: 'the rotation', example: { grace: '24h' } }),
    answers: {
      200: { description: 'The client with its new secret.', schema: issuedSchema },
      409: { description: 'The client is revoked.' },
    },
    async run(call) {
      const issued = await clients.rotate(segmentOf(call, 'id'), graceOf(call.body))
      return { json: issuedView(issued, scopeNames) }
    },
  })
}

function revokeClient(options: ClientEndpointsOptions) {
  const { clients, scopeNames } = options
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/clients/:id/revoke',
    summary: 'Revoke a client',
    details: (call) => aboutClient(call, options),
    description: 'Permanent. Its secrets and tokens stop working immediately.',
    answers: { 200: { description: 'The client.', schema: clientViewSchema } },
    async run(call) {
      return { json: clientView(await clients.revoke(segmentOf(call, 'id')), scopeNames) }
    },
  })
}
