import type { Dispatcher } from '../delivery/dispatcher.ts'
import { handedDeliveriesOf } from '../delivery/handed-deliveries.ts'
import type { OwnEvent, ReceivedCallback } from '../domain/event.ts'
import {
  createEventBus,
  type EventBus,
  type PublishedEvent,
  publishedEventsOf,
  publishedOwnEvent,
} from '../domain/event-bus.ts'
import type { RaisedWarning, StoredCallback } from '../domain/event-record.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'

/**
 * Announces events that are on disk: gives their deliveries to the workers of their destinations, and publishes to long polls.
 * @param onEvents called for events of every kind; a subscription would make the bus look at each event
 * @param onOwnEvent called for events of the gateway itself
 */
export function connectEventBus(
  { wake, send }: Pick<Dispatcher, 'wake' | 'send'>,
  { onEvents, onOwnEvent }: { readonly onEvents: () => void; readonly onOwnEvent: (event: OwnEvent) => void },
  log: Log,
) {
  const runGuarded = guarded(log, 'waking long polls', (run: () => void) => run())
  const polls = createEventBus((run) => void setImmediate(runGuarded, run))
  /** Destinations with new deliveries: each is woken once for all callbacks of a commit. */
  const waking = new Set<number>()
  const wakeAll = guarded(log, 'waking destinations', () => {
    const destinationIds = [...waking]
    waking.clear()
    wake(destinationIds)
  })
  const bus: EventBus = {
    ...polls,
    publish(events) {
      if (events.length > 0) onEvents()
      polls.publish(events)
    },
  }
  return {
    bus,
    onStored(stored: StoredCallback, callback: ReceivedCallback): void {
      if (stored.handed !== undefined) send(handedDeliveriesOf(callback, stored))
      // The answers of one commit come in one turn of the event loop.
      if (waking.size === 0 && stored.destinationIds.length > 0) setImmediate(wakeAll)
      for (const id of stored.destinationIds) waking.add(id)
      if (stored.newFacts !== undefined) onEvents()
      if (polls.hasSubscribers()) polls.publish(publishedEventsOf(callback, stored))
    },
    /** Events that were not stored with a callback. */
    announce(destinationIds: readonly number[], events: readonly PublishedEvent[]): void {
      wake(destinationIds)
      bus.publish(events)
    },
    onRaised(event: OwnEvent, { destinationIds }: RaisedWarning): void {
      wake(destinationIds)
      bus.publish([publishedOwnEvent(event)])
      onOwnEvent(event)
    },
  }
}
