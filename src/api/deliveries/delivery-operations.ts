import { DELIVERY_STATES } from '../../domain/delivery.ts'
import type { Operation } from '../http/endpoint.ts'
import { idBehind, limit, oneOf, text } from '../http/query.ts'
import { deliveryPageSchema, retriedSchema, skippedSchema } from './schema.ts'

export const deliveryQuery = {
  after: idBehind('dlv'),
  limit,
  state: oneOf(DELIVERY_STATES, 'Only deliveries in this state.'),
  destination: text('Only deliveries to this destination: its name or id, also of one that was removed.'),
  subject: text('Only deliveries of events about this business id.'),
}

const common = { tag: 'Deliveries', access: 'scopes', errors: 'problem' } as const
const segments = { id: 'The delivery, such as dlv_1.' }
const action = { ...common, method: 'post', segments } as const

export const DELIVERY_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'listDeliveries', method: 'get', path: '/v1/deliveries' },
    summary: 'List deliveries',
    description: 'Oldest first.',
    query: deliveryQuery,
    answers: {
      200: { description: 'A page of deliveries.', schema: deliveryPageSchema },
      404: { description: 'There is no such destination.' },
    },
  },
  {
    ...action,
    ...{ id: 'retryDelivery', path: '/v1/deliveries/:id/retry' },
    summary: 'Try a delivery again',
    description: 'From the first step of its schedule: now, or when an attempt that is under way has failed.',
    answers: {
      200: { description: 'It is owed again; also one that was delivered.', schema: retriedSchema },
      400: { description: 'The path names no delivery.' },
      409: {
        description:
          'It waits behind another delivery of its subject, its destination was removed, or the data of its event was.',
      },
    },
  },
  {
    ...action,
    ...{ id: 'skipDelivery', path: '/v1/deliveries/:id/skip' },
    summary: 'Give a delivery up',
    description: 'Where the deliveries of one subject go one after the other, the next one follows.',
    answers: {
      200: { description: 'It is not tried again.', schema: skippedSchema },
      400: { description: 'The path names no delivery.' },
      409: { description: 'It has ended already.' },
    },
  },
]
