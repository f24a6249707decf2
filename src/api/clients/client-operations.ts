import { z } from 'zod'
import { CLIENT_ENVIRONMENTS } from '../../domain/client.ts'
import type { ScopeNames } from '../../domain/scopes.ts'
import type { Operation } from '../http/endpoint.ts'
import { JSON_TYPE } from '../http/json-body.ts'
import { flag, limit } from '../http/query.ts'
import { beginningOf, clientIdSchema, time } from '../http/schema-parts.ts'
import { clientRotationSchema, clientSchema } from './schema.ts'

export const clientQuery = { revoked: flag('Those that were revoked too.'), limit }

export const clientViewSchema = z
  .strictObject({
    clientId: clientIdSchema,
    name: z.string(),
    environment: z.enum(CLIENT_ENVIRONMENTS),
    scopes: z.array(z.string()),
    createdAt: time,
    rotatedAt: time.nullable(),
    previousSecretUntil: time.nullable().describe('Until when the secret before the last rotation counts too'),
    revokedAt: time.nullable(),
  })
  .meta({ id: 'Client', description: 'A user of this API.' })

const issuedSchema = z
  .strictObject({ ...clientViewSchema.shape, clientSecret: z.string() })
  .meta({ id: 'IssuedClient', description: 'A client with its secret, which is shown this once.' })

const common = { tag: 'Clients', access: 'scopes', errors: 'problem' } as const
const segments = { id: 'The client: its id, or its name unless it was revoked.' }

export function clientOperations(names: ScopeNames): readonly Operation[] {
  return [
    {
      ...common,
      ...{ id: 'listClients', method: 'get', path: '/v1/clients' },
      summary: 'List clients',
      query: clientQuery,
      answers: {
        200: { description: 'Clients, oldest first.', schema: beginningOf('ClientList', clientViewSchema) },
      },
    },
    {
      ...common,
      ...{ id: 'createClient', method: 'post', path: '/v1/clients' },
      summary: 'Make a client',
      body: {
        schema: clientSchema(names),
        ...{ types: [JSON_TYPE], isRequired: true },
        example: { name: 'shop', environment: 'sandbox', scopes: ['events.read'] },
      },
      answers: {
        201: {
          description: 'It was made. Keep its secret: it is shown this once.',
          schema: issuedSchema,
          headers: { location: { description: 'Where it is shown.', schema: { type: 'string' } } },
        },
        409: { description: 'The name is taken, or there are as many as may be.' },
      },
    },
    {
      ...common,
      ...{ id: 'showClient', method: 'get', path: '/v1/clients/:id', segments },
      summary: 'Show a client',
      answers: { 200: { description: 'The client.', schema: clientViewSchema } },
    },
    {
      ...common,
      ...{ id: 'rotateClient', method: 'post', path: '/v1/clients/:id/rotate', segments },
      summary: 'Give a client another secret',
      description: 'The one before counts until the grace ends; without any, its tokens count no more.',
      body: {
        schema: clientRotationSchema,
        ...{ types: [JSON_TYPE], isRequired: false },
        example: { grace: '24h' },
      },
      answers: {
        200: { description: 'The client with its new secret.', schema: issuedSchema },
        409: { description: 'It was revoked.' },
      },
    },
    {
      ...common,
      ...{ id: 'revokeClient', method: 'post', path: '/v1/clients/:id/revoke', segments },
      summary: 'Revoke a client',
      description: 'For good. Its tokens count no more from now on.',
      answers: { 200: { description: 'The client.', schema: clientViewSchema } },
    },
  ]
}
