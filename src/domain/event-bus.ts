import { isKindWanted } from './destination.ts'
import type { Environment, NewCallback, OwnEvent } from './event.ts'
import type { EventFilter, StoredCallback } from './event-record.ts'

/** What new events are filtered by. */
export interface PublishedEvent {
  readonly kind: string
  readonly environment: Environment
  readonly subject: string | null
  readonly status: string | null
  readonly receivedAt: number
}

/** What of a filter can be told from news alone. */
export type EventSubscription = Pick<
  EventFilter,
  'kinds' | 'environment' | 'subject' | 'status' | 'receivedFrom' | 'receivedTo'
>

/** Where new events meet those who wait for them, in memory alone. */
export interface EventBus {
  /** These are committed. Those who watch for them are woken a little later, when what is urgent has been done. */
  publish(events: readonly PublishedEvent[]): void
  /** Calls `wake` after every event that matches, perhaps once for several. Returns how to end that. */
  subscribe(filter: EventSubscription, wake: () => void): () => void
}

/** The events that a callback became. */
export function publishedEventsOf(
  { environment, receivedAt, facts }: NewCallback,
  stored: Pick<StoredCallback, 'eventIds' | 'made'>,
): PublishedEvent[] {
  if (stored.eventIds.length === 0) return []
  return (stored.made ?? facts).map(({ kind, subject, status }) => ({ kind, environment, subject, status, receivedAt }))
}

export function publishedOwnEvent({ environment, subject, status, madeAt }: OwnEvent): PublishedEvent {
  return { kind: 'operator', environment, subject, status, receivedAt: madeAt }
}

export function isMatch(filter: EventSubscription, events: PublishedEvent): boolean {
  const { kinds = null, environment, subject, status, receivedFrom, receivedTo } = filter
  return (
    isKindWanted(kinds, events.kind) &&
    (environment === undefined || environment === events.environment) &&
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

/** @param later runs something when what is under way has been done */
export function createEventBus(later: (run: () => void) => void = setImmediate): EventBus {
  /** By the narrowest thing that each asks for, so that whoever waits for other subjects or kinds costs an event nothing. */
  const subscriptions = new Map<string, Set<Subscription>>()
  let waiting: PublishedEvent[] = []

  function wakeAll(): void {
    const all = waiting
    waiting = []
    for (const events of all)
      for (const key of keysOfEvent(events))
        for (const { filter, wake } of subscriptions.get(key) ?? []) if (isMatch(filter, events)) wake()
  }

  function remove(key: string, watch: Subscription): void {
    const known = subscriptions.get(key)
    known?.delete(watch)
    if (known?.size === 0) subscriptions.delete(key)
  }

  return {
    publish(events) {
      if (subscriptions.size === 0 || events.length === 0) return
      if (waiting.length === 0) later(wakeAll)
      waiting.push(...events)
    },
    subscribe(filter, wake) {
      const watch = { filter, wake }
      const keys = keysOfFilter(filter)
      for (const key of keys) subscriptions.set(key, (subscriptions.get(key) ?? new Set()).add(watch))
      return function endWatch() {
        for (const key of keys) remove(key, watch)
      }
    },
  }
}

/** Where a watch is found: by its subject if it has one, else by all that it asks for. Subjects begin with what no kind does. */
function keysOfFilter({ subject, kinds, environment, status }: EventSubscription): ReadonlySet<string> {
  if (subject !== undefined) return new Set([`\n${subject}`])
  return new Set((kinds ?? [ANY]).map((kind) => keyOf(kind, environment ?? ANY, status ?? ANY)))
}

/** Every place at which a watch could be that asks for it. */
function* keysOfEvent({ subject, kind, environment, status }: PublishedEvent): Generator<string> {
  if (subject !== null) yield `\n${subject}`
  for (const askedKind of [kind, ANY])
    for (const askedEnvironment of [environment, ANY]) {
      yield keyOf(askedKind, askedEnvironment, ANY)
      if (status !== null) yield keyOf(askedKind, askedEnvironment, status)
    }
}

const ANY = ''

function keyOf(kind: string, environment: string, status: string): string {
  return `${kind}\n${environment}\n${status}`
}
