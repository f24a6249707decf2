import type { ClientRegistry } from '../../api/clients/registry.ts'
import { pollNameOf } from '../../api/consumers/keys.ts'
import type { LongPollRegistry } from '../../api/events/long-polls.ts'
import type { Dispatcher } from '../../delivery/dispatcher.ts'
import { createRepeatedReading } from '../../delivery/dispatching/repeated-reading.ts'
import type { EventBus } from '../../domain/event-bus.ts'
import type { ChangeSort, ForeignChanges, Unheard } from '../../domain/nodes/foreign-changes.ts'
import type { Store } from '../../domain/store.ts'
import type { InactivityAlarm } from '../../jobs/inactivity-alarm.ts'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'
import type { Closing } from '../close.ts'

export interface OtherNodesOptions {
  readonly store: Pick<Store, 'nodes'>
  readonly bus: Pick<EventBus, 'publish'>
  readonly inactivity: Pick<InactivityAlarm, 'received'>
  readonly dispatcher: Pick<Dispatcher, 'wake' | 'drop' | 'refresh'>
  readonly waiting: Pick<LongPollRegistry, 'notify' | 'notifyAll'>
  readonly clients: Pick<ClientRegistry, 'refresh'>
  /** Takes up what changed of the other sorts. */
  readonly takeUp: Readonly<Record<Exclude<ChangeSort, 'destinations' | 'clients'>, () => unknown>>
  readonly closing: Closing
  readonly now: () => number
  readonly log: Log
}

/** What other nodes commit counts on this one, too. @returns since when their commits are not heard, and why; null: they are */
export function hearOtherNodes({ store, closing, now, log, ...parts }: OtherNodesOptions): () => Unheard | null {
  const { nodes } = store
  if (nodes === undefined) return () => null
  let unheard: Unheard | null = null
  const stopping = new AbortController()
  const repeated = (read: () => Promise<void>, task: string) =>
    createRepeatedReading({ read, task, log, signal: stopping.signal }).readSoon
  const takeUp = {
    ...parts.takeUp,
    // A failed one is repeated.
    destinations: () => parts.dispatcher.refresh().catch(() => undefined),
    clients: repeated(parts.clients.refresh, 'taking up clients'),
    sessions: repeated(async () => void (await parts.takeUp.sessions()), 'ending sessions'),
  }
  const stop = nodes.watch({
    onChanges: guarded(log, 'taking up what other nodes changed', (changes: ForeignChanges) => {
      publish(changes, parts)
      for (const sort of changes.sorts) takeUp[sort]()
    }),
    onTrouble(reason) {
      unheard = reason === null ? null : { since: unheard?.since ?? now(), reason }
      if (reason === null) log.info({}, 'nodes.heard')
      else log.warn({ error: reason }, 'nodes.not_heard')
    },
  })
  closing.defer(() => {
    stopping.abort()
    return stop()
  })
  return () => unheard
}

function publish(
  { events, destinationIds, droppedIds, consumers }: ForeignChanges,
  { bus, inactivity, dispatcher, waiting }: Pick<OtherNodesOptions, 'bus' | 'inactivity' | 'dispatcher' | 'waiting'>,
): void {
  bus.publish(events)
  for (const event of events) inactivity.received(event, {})
  dispatcher.drop(droppedIds)
  dispatcher.wake(destinationIds)
  if (consumers === 'all') waiting.notifyAll()
  else for (const key of consumers) waiting.notify(pollNameOf(key))
}
