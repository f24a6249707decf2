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
  tell(news: readonly PublishedEvent[]): void
  /** Calls `wake` after every event that matches, perhaps once for several. Returns how to end that. */
  watch(filter: EventSubscription, wake: () => void): () => void
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

export function isMatch(filter: EventSubscription, news: PublishedEvent): boolean {
  const { kinds = null, environment, subject, status, receivedFrom, receivedTo } = filter
  return (
    isKindWanted(kinds, news.kind) &&
    (environment === undefined || environment === news.environment) &&
    (subject === undefined || subject === news.subject) &&
    (status === undefined || status === news.status) &&
    (receivedFrom === undefined || news.receivedAt >= receivedFrom) &&
    (receivedTo === undefined || news.receivedAt < receivedTo)
  )
}

interface Watch {
  readonly filter: EventSubscription
  readonly wake: () => void
}

/** @param later runs something when what is under way has been done */
export function createEventBus(later: (run: () => void) => void = setImmediate): EventBus {
  /** By the narrowest thing that each asks for, so that whoever waits for other subjects or kinds costs an event nothing. */
  const watches = new Map<string, Set<Watch>>()
  let waiting: PublishedEvent[] = []

  function wakeAll(): void {
    const all = waiting
    waiting = []
    for (const news of all)
      for (const key of keysOfNews(news))
        for (const { filter, wake } of watches.get(key) ?? []) if (isMatch(filter, news)) wake()
  }

  function remove(key: string, watch: Watch): void {
    const known = watches.get(key)
    known?.delete(watch)
    if (known?.size === 0) watches.delete(key)
  }

  return {
    tell(news) {
      if (watches.size === 0 || news.length === 0) return
      if (waiting.length === 0) later(wakeAll)
      waiting.push(...news)
    },
    watch(filter, wake) {
      const watch = { filter, wake }
      const keys = keysOfFilter(filter)
      for (const key of keys) watches.set(key, (watches.get(key) ?? new Set()).add(watch))
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
function* keysOfNews({ subject, kind, environment, status }: PublishedEvent): Generator<string> {
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
