import { contracts } from '../http/contract.ts'
import { clientListSchema, clientQuerySchema, clientRotationSchema, clientViewSchema, issuedSchema } from './schema.ts'

export const ofClients = { tag: 'Clients', access: 'operator', errors: 'problem' } as const
const one = { ...ofClients, segments: { id: 'Id of the client, or its name unless it is revoked.' } }

export const CLIENT_READS = contracts({
  listClients: {
    ...ofClients,
    method: 'get',
    path: '/v1/clients',
    summary: 'List clients',
    query: clientQuerySchema,
    answers: {
      200: { description: 'Clients, oldest first.', schema: clientListSchema },
    },
  },
  showClient: {
    ...one,
    method: 'get',
    path: '/v1/clients/:id',
    summary: 'Show a client',
    answers: { 200: { description: 'The client.', schema: clientViewSchema } },
  },
})

export const CLIENT_CHANGES = contracts({
  rotateClient: {
    ...one,
    method: 'post',
    path: '/v1/clients/:id/rotate',
    summary: 'Rotate the secret of a client',
    action: 'rotate the secret of a client',
    description:
      'The previous secret stays valid for the grace period. With a grace of 0, tokens issued for it stop working immediately.',
    body: { schema: clientRotationSchema, what: 'the rotation', example: { grace: '24h' }, isOptional: true },
    answers: {
      200: { description: 'The client with its new secret.', schema: issuedSchema },
      409: { description: 'The client is revoked.' },
    },
  },
  revokeClient: {
    ...one,
    method: 'post',
    path: '/v1/clients/:id/revoke',
    summary: 'Revoke a client',
    action: 'revoke a client',
    description: 'Permanent. Its secrets and tokens stop working immediately.',
    answers: { 200: { description: 'The client.', schema: clientViewSchema } },
  },
})
