import { contracts } from '../http/contract.ts'
import { secretRotationSchema } from './rotation.ts'
import {
  destinationPageSchema,
  destinationQuerySchema,
  destinationSchema,
  destinationStatsSchema,
  destinationWithSecretSchema,
  secretsSchema,
  testAnswerSchema,
  testEventSchema,
} from './schema.ts'

export const mayRead = { tag: 'Destinations', errors: 'problem', access: ['destinations.read'] } as const
export const mayWrite = { ...mayRead, access: ['destinations.write'] } as const
export const segments = { id: 'Name of the destination, or an id such as dst_1.' }
export const destinationAnswer = { description: 'The destination.', schema: destinationSchema }

export const DESTINATION_READS = contracts({
  listDestinations: {
    ...mayRead,
    method: 'get',
    path: '/v1/destinations',
    summary: 'List destinations',
    description: 'Oldest first. Clients see their own destinations, with operations.read all.',
    query: destinationQuerySchema,
    answers: { 200: { description: 'A page of destinations.', schema: destinationPageSchema } },
  },
  showDestination: {
    ...mayRead,
    method: 'get',
    path: '/v1/destinations/:id',
    segments,
    summary: 'Show a destination',
    answers: { 200: destinationAnswer },
  },
  showDestinationStats: {
    ...mayRead,
    method: 'get',
    path: '/v1/destinations/:id/stats',
    segments,
    summary: 'Show delivery statistics of a destination',
    answers: { 200: { description: 'Statistics since the gateway started.', schema: destinationStatsSchema } },
  },
  showDestinationSecret: {
    ...mayWrite,
    method: 'get',
    path: '/v1/destinations/:id/secret',
    segments,
    summary: 'Show the secrets of a destination',
    description:
      "The secrets sign deliveries in the gateway's name. Clients read those of their own destinations; all others need operations.write.",
    answers: { 200: { description: 'The secrets.', schema: secretsSchema } },
  },
})

export const DESTINATION_CHANGES = contracts({
  deleteDestination: {
    ...mayWrite,
    method: 'delete',
    path: '/v1/destinations/:id',
    segments,
    summary: 'Delete a destination',
    action: 'delete a destination',
    description: 'Cancels its pending deliveries.',
    answers: {
      204: { description: 'The destination was deleted.' },
      409: { description: 'The destination comes from the configuration file.' },
    },
  },
  rotateDestinationSecret: {
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/rotate-secret',
    segments,
    summary: 'Rotate the secret of a destination',
    action: 'rotate the secret of a destination',
    description:
      'The previous secret also signs until the overlap ends. Clients rotate secrets of their own destinations, with operations.write of all.',
    body: { schema: secretRotationSchema, what: 'the rotation', example: { overlap: '24h' }, isOptional: true },
    answers: {
      200: { description: 'The destination with its new secret.', schema: destinationWithSecretSchema },
      409: { description: 'The destination comes from the configuration file, or already uses that secret.' },
    },
  },
  pauseDestination: {
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/pause',
    segments,
    summary: 'Pause a destination',
    action: 'pause a destination',
    description:
      'Its deliveries stay pending and use no step of their schedules. `pauseReason` repeats the reason, if one is given.',
    answers: {
      200: destinationAnswer,
      409: { description: 'The destination was removed from the configuration file.' },
    },
  },
  resumeDestination: {
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/resume',
    segments,
    summary: 'Resume a destination',
    action: 'resume a destination',
    answers: {
      200: destinationAnswer,
      409: {
        description:
          'The destination was removed from the configuration file, or the client certificate for it cannot be used.',
      },
    },
  },
  testDestination: {
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/test',
    segments,
    summary: 'Send a test event now',
    action: 'test a destination',
    description:
      'The event is signed like any other, but not stored. The outcome does not affect the destination. Its subject and status are `test`.',
    body: { schema: testEventSchema, what: 'the test', example: { kind: 'operator' }, isOptional: true },
    answers: { 200: { description: 'The outcome.', schema: testAnswerSchema } },
  },
})
