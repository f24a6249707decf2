import { type ScopeNames, warningsAbout } from '../../domain/scopes.ts'
import { membersOf } from '../audit/details.ts'
import type { Handlers } from '../http/contract.ts'
import { type Call, endpoint, segmentOf } from '../http/endpoint.ts'
import { requiredBody } from '../http/json-body.ts'
import { served } from '../http/served.ts'
import { CLIENT_CHANGES, CLIENT_READS, ofClients } from './contract.ts'
import type { ClientRegistry, Issued } from './registry.ts'
import { clientSchema, clientSettings, graceOf, issuedSchema } from './schema.ts'
import { clientView } from './view.ts'

export interface ClientReadParts {
  readonly clients: Pick<ClientRegistry, 'list' | 'get'>
  readonly scopeNames: ScopeNames
}

export interface ClientParts extends ClientReadParts {
  readonly clients: ClientRegistry
}

const READS: Handlers<typeof CLIENT_READS, ClientReadParts> = {
  async listClients({ query: { revoked, limit } }, { clients, scopeNames }) {
    const all = await clients.list({ revoked })
    const data = all.slice(0, limit).map((client) => clientView(client, scopeNames))
    return { json: { data, more: all.length > limit } }
  },
  async showClient(call, { clients, scopeNames }) {
    return { json: clientView(await clients.get(segmentOf(call, 'id')), scopeNames) }
  },
}

const CHANGES: Handlers<typeof CLIENT_CHANGES, ClientParts> = {
  rotateClient: {
    details: async (call, parts) => ({ ...(await aboutClient(call, parts)), ...membersOf(call.body, ['grace']) }),
    async run(call, { clients, scopeNames }) {
      const issued = await clients.rotate(segmentOf(call, 'id'), graceOf(call.body))
      return { json: issuedView(issued, scopeNames) }
    },
  },
  revokeClient: {
    details: aboutClient,
    async run(call, { clients, scopeNames }) {
      return { json: clientView(await clients.revoke(segmentOf(call, 'id')), scopeNames) }
    },
  },
}

export function clientEndpoints(parts: ClientParts) {
  const { listClients, showClient } = clientReads(parts)
  return { listClients, createClient: createClient(parts), showClient, ...served(CLIENT_CHANGES, CHANGES, parts) }
}

export function clientReads(parts: ClientReadParts) {
  return served(CLIENT_READS, READS, parts)
}

function createClient({ clients, scopeNames }: ClientParts) {
  return endpoint({
    ...ofClients,
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

/** Empty: there is no such client, which the endpoint says. */
async function aboutClient(call: Call, { clients, scopeNames }: ClientParts) {
  const client = await clients.get(segmentOf(call, 'id')).catch(() => null)
  if (client === null) return {}
  const { clientId, name, environment, scopes } = clientView(client, scopeNames)
  return { client: clientId, name, environment, scopes }
}
