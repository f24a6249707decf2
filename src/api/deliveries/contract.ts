import { contracts } from '../http/contract.ts'
import { deliveryPageSchema, deliveryQuerySchema, retriedSchema, skippedSchema, triedDeliverySchema } from './schema.ts'

const common = { tag: 'Deliveries', errors: 'problem' } as const
const one = { ...common, segments: { id: 'Id of the delivery, such as dlv_1.' } }
const SENDS_AGAIN = ['operations.write', 'support.replay'] as const
const HIDDEN = 'Without events.read personal data is masked, and answers of destinations are left out.'
const MASKED = `${HIDDEN} Such a page ends after 4 MiB of payloads.`

export const DELIVERY_READS = contracts({
  listDeliveries: {
    ...common,
    method: 'get',
    path: '/v1/deliveries',
    access: ['operations.read'],
    summary: 'List deliveries',
    description: `Oldest first, or newest first with \`order=desc\`. ${MASKED}`,
    query: deliveryQuerySchema,
    answers: {
      200: { description: 'A page of deliveries.', schema: deliveryPageSchema },
      404: { description: 'The destination does not exist.' },
    },
  },
  showDelivery: {
    ...one,
    method: 'get',
    path: '/v1/deliveries/:id',
    access: ['operations.read'],
    summary: 'Show a delivery with its attempts',
    description: HIDDEN,
    answers: {
      200: { description: 'The delivery.', schema: triedDeliverySchema },
      400: { description: 'The path is not a delivery id.' },
    },
  },
})

export const DELIVERY_CHANGES = contracts({
  retryDelivery: {
    ...one,
    method: 'post',
    path: '/v1/deliveries/:id/retry',
    access: SENDS_AGAIN,
    summary: 'Retry a delivery',
    action: 'retry a delivery',
    description: 'Restarts the schedule: the next attempt is due now, or after a running attempt has failed.',
    answers: {
      200: { description: 'The delivery is pending again, even if it was delivered before.', schema: retriedSchema },
      400: { description: 'The path is not a delivery id.' },
      409: {
        description:
          'It is blocked by another delivery of its subject, or its destination or the data of its event was removed.',
      },
    },
  },
  skipDelivery: {
    ...one,
    method: 'post',
    path: '/v1/deliveries/:id/skip',
    access: ['operations.write'],
    summary: 'Skip a delivery',
    action: 'skip a delivery',
    description: 'With order `subject`, the next delivery of its subject follows.',
    answers: {
      200: { description: 'The delivery is skipped.', schema: skippedSchema },
      400: { description: 'The path is not a delivery id.' },
      409: { description: 'The delivery has ended.' },
    },
  },
})
