import type { DeliveryRecord } from '../../domain/delivery.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId, requireDeliveryId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { ownerOf, type StoreFor, seesMasked } from '../auth/store-scope.ts'
import { dropUndefined } from '../http/answer.ts'
import { endpoint, segmentOf } from '../http/endpoint.ts'
import { MAX_LIMIT, rangeOf } from '../http/query.ts'
import { findDestination } from './destination-lookup.ts'
import { deliveryHint } from './lookup.ts'
import { maskedAttempt, maskedDeliveries, maskedDelivery, maskOf } from './masked-view.ts'
import { deliveryPageSchema, deliveryQuerySchema, retriedSchema, skippedSchema, triedDeliverySchema } from './schema.ts'
import { attemptView, deliveryView, type NextProbeOf } from './view.ts'

export interface DeliveryEndpointsOptions {
  readonly store: Store
  readonly storeFor: StoreFor
  /** For clients without `events.read`. */
  readonly mask: EventMask
  readonly now: () => number
  /** Deliveries to these destinations may be due now. */
  readonly wake: (destinationIds: readonly number[]) => void
  readonly nextProbeOf: NextProbeOf
  /** Forgets claims of these deliveries whose attempts have not begun. Returns how many. */
  readonly drop: (deliveryIds: readonly number[]) => number
}

const common = { tag: 'Deliveries', errors: 'problem' } as const
const SENDS_AGAIN = ['operations.write', 'support.replay'] as const
const one = { ...common, segments: { id: 'Id of the delivery, such as dlv_1.' } }

export function deliveryEndpoints(options: DeliveryEndpointsOptions) {
  return {
    listDeliveries: listDeliveries(options),
    showDelivery: showDelivery(options),
    retryDelivery: retryDelivery(options),
    skipDelivery: skipDelivery(options),
  }
}

const HIDDEN = 'Without events.read personal data is masked, and answers of destinations are left out.'
const MASKED = `${HIDDEN} Such a page ends after 4 MiB of payloads.`

function listDeliveries({ store, mask, nextProbeOf }: DeliveryEndpointsOptions) {
  return endpoint({
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
    async run(call) {
      const { limit, destination, from, to, after, order, ...others } = call.query
      const range = rangeOf({ after, order })
      const given = { ...dropUndefined({ createdFrom: from, createdTo: to, ...others }), ...range }
      const filter =
        destination === undefined ? given : { ...given, destinationId: await idOf(store, destination, ownerOf(call)) }
      const deliveries = await store.listDeliveries(filter, limit + 1)
      const asked = deliveries.slice(0, limit)
      const viewOf = (delivery: DeliveryRecord) => deliveryView(delivery, nextProbeOf)
      const data = seesMasked(call) ? await maskedDeliveries(asked, { store, mask, viewOf }) : asked.map(viewOf)
      // An empty page keeps the reader's position.
      const last = asked[data.length - 1]?.deliveryId ?? after
      const next = last === undefined ? null : numberedId('dlv', last)
      const hint = data.length > 0 ? null : await deliveryHint(store, filter)
      const more = deliveries.length > data.length
      return { json: { data, next, more, ...(hint !== null && { hint }) } }
    },
  })
}

function showDelivery({ store, mask, nextProbeOf }: DeliveryEndpointsOptions) {
  return endpoint({
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
    async run(call) {
      const text = segmentOf(call, 'id')
      const id = requireDeliveryId(text)
      const [delivery] = await store.listDeliveries({ after: id - 1, before: id + 1 }, 1)
      if (delivery === undefined) throw new PortariaError('not_found', `there is no delivery ${text.slice(0, 64)}`)
      const latestAttempts = (await store.listAttempts(id, MAX_LIMIT)).map(attemptView)
      const view = deliveryView(delivery, nextProbeOf)
      if (!seesMasked(call)) return { json: { ...view, latestAttempts } }
      const masked = await maskOf(delivery, { store, mask })
      const attempts = latestAttempts.map((one) => maskedAttempt(one, masked))
      return { json: { ...maskedDelivery(view, masked), latestAttempts: attempts } }
    },
  })
}

/** Removed destinations count too: their deliveries are still stored. */
async function idOf(store: StoreReader, destination: string, owner: string | null): Promise<number> {
  return (await findDestination(store, destination, { removed: true, owner })).id
}

function retryDelivery({ store, storeFor, now, wake }: DeliveryEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/deliveries/:id/retry',
    access: SENDS_AGAIN,
    summary: 'Retry a delivery',
    description: 'Restarts the schedule: the next attempt is due now, or after a running attempt has failed.',
    answers: {
      200: { description: 'The delivery is pending again, even if it was delivered before.', schema: retriedSchema },
      400: { description: 'The path is not a delivery id.' },
      409: {
        description:
          'It is blocked by another delivery of its subject, or its destination or the data of its event was removed.',
      },
    },
    async run(call) {
      const id = requireDeliveryId(segmentOf(call, 'id'))
      const { destinationId } = await storeFor(call).retryDelivery(id, now())
      wake([destinationId])
      const [delivery] = await store.listDeliveries({ after: id - 1, before: id + 1 }, 1)
      return { json: { retried: numberedId('dlv', id), waitsFor: delivery?.waitsFor ?? null } }
    },
  })
}

function skipDelivery({ store, now, wake, drop }: DeliveryEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/deliveries/:id/skip',
    access: ['operations.write'],
    summary: 'Skip a delivery',
    description: 'With order `subject`, the next delivery of its subject follows.',
    answers: {
      200: { description: 'The delivery is skipped.', schema: skippedSchema },
      400: { description: 'The path is not a delivery id.' },
      409: { description: 'The delivery has ended.' },
    },
    async run(call) {
      const id = requireDeliveryId(segmentOf(call, 'id'))
      const { destinationId } = await store.skipDelivery(id, now())
      drop([id])
      wake([destinationId])
      return { json: { skipped: numberedId('dlv', id) } }
    },
  })
}
