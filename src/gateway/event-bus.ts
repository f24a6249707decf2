import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { NewCallback, OwnEvent } from '../domain/event.ts'
import { createEventBus, type PublishedEvent, publishedEventsOf, publishedOwnEvent } from '../domain/event-bus.ts'
import type { StoredCallback } from '../domain/event-record.ts'
import type { RaisedWarning } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'

/** Announces events that are on disk: wakes the workers of their destinations, and publishes to long polls. */
export function connectEventBus({ wake }: Pick<Dispatcher, 'wake'>, log: Log) {
  const runGuarded = guarded(log, 'waking long polls', (run: () => void) => run())
  const bus = createEventBus((run) => void setImmediate(runGuarded, run))
  return {
    bus,
    onStored(stored: StoredCallback, callback: NewCallback): void {
      wake(stored.destinationIds)
      bus.publish(publishedEventsOf(callback, stored))
    },
    /** Events that were not stored with a callback. */
    announce(destinationIds: readonly number[], events: readonly PublishedEvent[]): void {
      wake(destinationIds)
      bus.publish(events)
    },
    onRaised(event: OwnEvent, { destinationIds }: RaisedWarning): void {
      wake(destinationIds)
      bus.publish([publishedOwnEvent(event)])
    },
  }
}
