import type { DeliveryRecord } from '../../domain/delivery.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId, requireDeliveryId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { given } from '../../platform/given.ts'
import { say } from '../../platform/said.ts'
import { ownerOf, type StoreFor, seesMasked } from '../auth/store-scope.ts'
import type { Handlers } from '../http/contract.ts'
import { segmentOf } from '../http/endpoint.ts'
import { MAX_LIMIT, rangeOf } from '../http/query.ts'
import { served } from '../http/served.ts'
import { DELIVERY_CHANGES, DELIVERY_READS } from './contract.ts'
import { findDestination } from './destination-lookup.ts'
import { deliveryHint } from './lookup.ts'
import { maskedAttempt, maskedDeliveries, maskedDelivery, maskOf } from './masked-view.ts'
import { attemptView, deliveryView, type NextProbeOf } from './view.ts'

export interface DeliveryReadParts {
  readonly store: StoreReader
  /** For clients without `events.read`. */
  readonly mask: EventMask
  readonly nextProbeOf: NextProbeOf
}

export interface DeliveryParts extends DeliveryReadParts {
  readonly store: Store
  readonly storeFor: StoreFor
  readonly now: () => number
  /** Deliveries to these destinations may be due now. */
  readonly wake: (destinationIds: readonly number[]) => void
  /** Forgets claims of these deliveries whose attempts have not begun. Returns how many. */
  readonly drop: (deliveryIds: readonly number[]) => number
}

const READS: Handlers<typeof DELIVERY_READS, DeliveryReadParts> = {
  async listDeliveries(call, { store, mask, nextProbeOf }) {
    const { limit, destination, from, to, after, order, ...others } = call.query
    const range = rangeOf({ after, order })
    const destinationId = destination === undefined ? undefined : await idOf(store, destination, ownerOf(call))
    const filter = { ...given({ createdFrom: from, createdTo: to, ...others, destinationId }), ...range }
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
  async showDelivery(call, { store, mask, nextProbeOf }) {
    const text = segmentOf(call, 'id')
    const id = requireDeliveryId(text)
    const [delivery] = await store.listDeliveries({ after: id - 1, before: id + 1 }, 1)
    if (delivery === undefined)
      throw new PortariaError('not_found', say`there is no delivery ${{ id: text.slice(0, 64) }}`)
    const latestAttempts = (await store.listAttempts(id, MAX_LIMIT)).map(attemptView)
    const view = deliveryView(delivery, nextProbeOf)
    if (!seesMasked(call)) return { json: { ...view, latestAttempts } }
    const masked = await maskOf(delivery, { store, mask })
    const attempts = latestAttempts.map((one) => maskedAttempt(one, masked))
    return { json: { ...maskedDelivery(view, masked), latestAttempts: attempts } }
  },
}

const CHANGES: Handlers<typeof DELIVERY_CHANGES, DeliveryParts> = {
  async retryDelivery(call, { store, storeFor, now, wake }) {
    const id = requireDeliveryId(segmentOf(call, 'id'))
    const { destinationId } = await storeFor(call).retryDelivery(id, now())
    wake([destinationId])
    const [delivery] = await store.listDeliveries({ after: id - 1, before: id + 1 }, 1)
    return { json: { retried: numberedId('dlv', id), waitsFor: delivery?.waitsFor ?? null } }
  },
  async skipDelivery(call, { store, now, wake, drop }) {
    const id = requireDeliveryId(segmentOf(call, 'id'))
    const { destinationId } = await store.skipDelivery(id, now())
    drop([id])
    wake([destinationId])
    return { json: { skipped: numberedId('dlv', id) } }
  },
}

export function deliveryEndpoints(parts: DeliveryParts) {
  return { ...deliveryReads(parts), ...served(DELIVERY_CHANGES, CHANGES, parts) }
}

export function deliveryReads(parts: DeliveryReadParts) {
  return served(DELIVERY_READS, READS, parts)
}

/** Removed destinations count too: their deliveries are still stored. */
async function idOf(store: StoreReader, destination: string, owner: string | null): Promise<number> {
  return (await findDestination(store, destination, { removed: true, owner })).id
}
