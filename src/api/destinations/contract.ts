import { contracts } from '../http/contract.ts'
import {
  destinationPageSchema,
  destinationQuerySchema,
  destinationSchema,
  destinationStatsSchema,
  secretsSchema,
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

export const DESTINATION_REMOVAL = contracts({
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
})
