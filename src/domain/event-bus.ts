import { isKindWanted } from './destination.ts'
import type { OwnEvent, ReceivedCallback } from './event.ts'
import type { EventFilter, StoredCallback } from './event-record.ts'
import { environmentOf, isInRealm, type Realm } from './realm.ts'

/** The fields of a new event that filters look at. */
export interface PublishedEvent {
  readonly kind: string
  readonly environment: Realm
  readonly subject: string | null
  readonly status: string | null
  readonly receivedAt: number
}

/** The part of a filter that these fields decide. */
export type EventSubscription = Pick<
  EventFilter,
  'kinds' | 'environment' | 'institution' | 'subject' | 'status' | 'receivedFrom' | 'receivedTo'
>

/** Wakes subscribers when new events are committed; in memory only. */
export interface EventBus {
  /** Publishes committed events. Subscribers are woken after the current work, not inside this call. */
  publish(events: readonly PublishedEvent[]): void
  /** False: there is no subscription, so nothing need be published. */
  hasSubscribers(): boolean
  /** Calls `wake` after matching events, possibly once for several. Returns the function that ends the subscription. */
  subscribe(filter: EventSubscription, wake: () => void): () => void
}

/** The new events of a callback. */
export function publishedEventsOf(
  { environment, receivedAt }: Pick<ReceivedCallback, 'environment' | 'receivedAt'>,
  { newFacts = [] }: Pick<StoredCallback, 'newFacts'>,
): PublishedEvent[] {
  return newFacts.map(({ kind, subject, status }) => ({ kind, environment, subject, status, receivedAt }))
}

export function publishedOwnEvent({ environment, subject, status, madeAt }: OwnEvent): PublishedEvent {
  return { kind: 'operator', environment, subject, status, receivedAt: madeAt }
}

export function isMatch(filter: EventSubscription, events: PublishedEvent): boolean {
  const { kinds = null, subject, status, receivedFrom, receivedTo } = filter
  return (
    isKindWanted(kinds, events.kind) &&
    isInRealm(filter, events.environment) &&
    (subject === undefined || subject === events.subject) &&
    (status === undefined || status === events.status) &&
    (receivedFrom === undefined || events.receivedAt >= receivedFrom) &&
    (receivedTo === undefined || events.receivedAt < receivedTo)
  )
}

interface Subscription {
  readonly filter: EventSubscription
  readonly wake: () => void
}

/** @param later schedules a function to run after the current work */
export function createEventBus(later: (run: () => void) => void = setImmediate): EventBus {
  /** Indexed by each filter's narrowest field, so that an event costs nothing for subscribers of other subjects or kinds. */
  const subscriptions = new Map<string, Set<Subscription>>()
  let waiting: PublishedEvent[] = []

  function wakeAll(): void {
    const all = waiting
    waiting = []
    for (const events of all)
      for (const key of keysOfEvent(events))
        for (const { filter, wake } of subscriptions.get(key) ?? []) if (isMatch(filter, events)) wake()
  }

  function remove(key: string, subscription: Subscription): void {
    const subscribed = subscriptions.get(key)
    subscribed?.delete(subscription)
    if (subscribed?.size === 0) subscriptions.delete(key)
  }

  return {
    publish(events) {
      if (subscriptions.size === 0 || events.length === 0) return
      if (waiting.length === 0) later(wakeAll)
      waiting.push(...events)
    },
    hasSubscribers: () => subscriptions.size > 0,
    subscribe(filter, wake) {
      const subscription = { filter, wake }
      const keys = keysOfFilter(filter)
      for (const key of keys) subscriptions.set(key, (subscriptions.get(key) ?? new Set()).add(subscription))
      return function unsubscribe() {
        for (const key of keys) remove(key, subscription)
      }
    },
  }
}

/** The index keys of a filter: its subject, or else its kinds, environment and status. Subjects begin with a line feed, which no kind contains. */
function keysOfFilter({ subject, kinds, environment, status }: EventSubscription): ReadonlySet<string> {
  if (subject !== undefined) return new Set([`\n${subject}`])
  return new Set((kinds ?? [ANY]).map((kind) => keyOf(kind, environment ?? ANY, status ?? ANY)))
}

/** Every index key under which a matching filter can be. */
function* keysOfEvent({ subject, kind, environment, status }: PublishedEvent): Generator<string> {
  if (subject !== null) yield `\n${subject}`
  for (const keyKind of [kind, ANY])
    for (const keyEnvironment of [environmentOf(environment), ANY]) {
      yield keyOf(keyKind, keyEnvironment, ANY)
      if (status !== null) yield keyOf(keyKind, keyEnvironment, status)
    }
}

const ANY = ''

function keyOf(kind: string, environment: string, status: string): string {
  return `${kind}\n${environment}\n${status}`
}
