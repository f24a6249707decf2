import type { CallbackOutcome, StoredCallback } from '../domain/event-record.ts'
import { CHARGE_KIND, type KindRule } from '../domain/kinds.ts'
import type { RunningCounts } from '../domain/overview/hour-sums.ts'
import type { RecentTraffic } from '../domain/overview/overview.ts'
import {
  ENVIRONMENTS,
  type Environment,
  environmentOf,
  institutionOf,
  kindKey,
  type Realm,
  realmOf,
} from '../domain/realm.ts'
import { REFUSAL_CODES, REFUSING_LISTENERS, type RefusalCode, type RefusingListener } from '../domain/refusal.ts'
import { type GivingUp, repeatedUntil } from '../domain/refused-callbacks.ts'
import type { Exposition } from './exposition.ts'
import { createRecentCounts } from './recent-traffic.ts'

/** `failed`: not stored, answered with 503. */
const RESULTS = ['stored', 'duplicate', 'quarantined', 'failed'] as const
type Result = (typeof RESULTS)[number]

const FACT_RESULTS = ['event', 'duplicate', 'quarantined'] as const
type FactResult = (typeof FACT_RESULTS)[number]

/** Counts while callbacks are handled, so each call takes well below a microsecond. */
export interface Traffic {
  answered(answered: CallbackOutcome): void
  /** Events of a charge token whose entries the service gave, or that became an event itself. */
  resolved(environment: Realm, events: number): void
  committed(commit: { readonly callbacks: number; readonly durationMs: number }): void
  refused(listener: RefusingListener, code: RefusalCode): void
  attempted(durationMs: number): void
  /** @param deliveries how many wait now, for the overview */
  waiting(deliveries: number): void
  /** The last hour, for the overview. */
  recent(): RecentTraffic
  /** Callbacks of each kind. */
  counts(): RunningCounts[]
}

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
const BATCH_CALLBACKS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

interface Counts {
  readonly callbacks: Record<Result, number>
  readonly facts: Record<FactResult, number>
  /** Answered later than the institution waits. */
  late: number
}

type CountedKind = Pick<KindRule, 'institution' | 'name'>

interface KindCounts {
  readonly owner: { readonly institution?: string }
  readonly kind: string
  readonly counts: Readonly<Record<Environment, Counts>>
}

/** Every series exists from the start, at 0. */
export function createTraffic(exposition: Exposition, kinds: readonly CountedKind[], givingUp: GivingUp): Traffic {
  const byKind = new Map(
    kinds.map(({ institution, name: kind }) => {
      const counts = { production: newCounts(), sandbox: newCounts() }
      return [kindKey(institution, kind), { owner: institution === null ? {} : { institution }, kind, counts }]
    }),
  )
  const refusals = new Map<string, number>()
  const recent = createRecentCounts([...byKind.keys()])

  exposition.counter(
    {
      name: 'portaria_callbacks_total',
      help: 'Accepted callbacks by result: stored, duplicate (no new fact, or a token that waits already), quarantined (every new fact), failed (answered with 503).',
    },
    ['institution', 'kind', 'environment', 'result'],
    (emit) => {
      for (const { owner, kind, counts } of byKind.values())
        for (const environment of ENVIRONMENTS)
          for (const result of RESULTS)
            emit({ ...owner, kind, environment, result }, counts[environment].callbacks[result])
    },
  )
  exposition.counter(
    {
      name: 'portaria_facts_total',
      help: 'Facts in accepted callbacks, and entries of their tokens, by result: event (a new one), duplicate, quarantined.',
    },
    ['institution', 'kind', 'environment', 'result'],
    (emit) => {
      for (const { owner, kind, counts } of byKind.values())
        for (const environment of ENVIRONMENTS)
          for (const result of FACT_RESULTS)
            emit({ ...owner, kind, environment, result }, counts[environment].facts[result])
    },
  )
  exposition.counter(
    {
      name: 'portaria_callbacks_late_total',
      help: 'Callbacks answered later than limits.answerWithin.',
    },
    ['institution', 'kind', 'environment'],
    (emit) => {
      for (const { owner, kind, counts } of byKind.values())
        for (const environment of ENVIRONMENTS) emit({ ...owner, kind, environment }, counts[environment].late)
    },
  )
  exposition.counter(
    {
      name: 'portaria_refusals_total',
      help: 'Refused callers by code. left_out: callers beyond the number that is recorded one by one.',
    },
    ['listener', 'code'],
    (emit) => {
      for (const listener of REFUSING_LISTENERS)
        for (const code of REFUSAL_CODES) emit({ listener, code }, refusals.get(`${listener} ${code}`) ?? 0)
    },
  )
  const acknowledge = exposition.histogram(
    {
      name: 'portaria_acknowledge_seconds',
      help: 'Time from the end of a callback to its 200, which is sent after the commit.',
    },
    LATENCY_SECONDS,
  )
  const commit = exposition.histogram(
    {
      name: 'portaria_commit_seconds',
      help: 'Time from the start of a batch with callbacks in the writer until it was on disk.',
    },
    LATENCY_SECONDS,
  )
  const batch = exposition.histogram(
    { name: 'portaria_commit_callbacks', help: 'Number of callbacks in a batch.' },
    BATCH_CALLBACKS,
  )
  const attempt = exposition.histogram(
    { name: 'portaria_delivery_attempt_seconds', help: 'Duration of delivery attempts, over all destinations.' },
    ATTEMPT_SECONDS,
  )

  return {
    answered({ kind, environment, kept }) {
      const key = kindKey(institutionOf(environment), kind)
      const counts = byKind.get(key)?.counts[environmentOf(environment)]
      if (counts === undefined) return
      if (kept === null) {
        counts.callbacks.failed++
        recent.failed(repeatedUntil(givingUp, environment, Date.now()))
        return
      }
      const { stored, durationMs, isLate } = kept
      if (isLate) counts.late++
      acknowledge(durationMs / 1000)
      recent.stored(key, durationMs)
      counts.callbacks[resultOf(stored)]++
      counts.facts.event += stored.eventIds.length
      counts.facts.duplicate += stored.duplicates
      counts.facts.quarantined += stored.quarantineIds?.length ?? 0
    },
    resolved(environment, events) {
      const key = kindKey(institutionOf(environment), CHARGE_KIND)
      const counts = byKind.get(key)?.counts[environmentOf(environment)]
      if (counts !== undefined) counts.facts.event += events
    },
    committed({ callbacks, durationMs }) {
      commit(durationMs / 1000)
      batch(callbacks)
    },
    refused(listener, code) {
      const key = `${listener} ${code}`
      refusals.set(key, (refusals.get(key) ?? 0) + 1)
    },
    attempted: (durationMs) => attempt(durationMs / 1000),
    waiting: recent.waiting,
    recent: recent.read,
    counts: () => [...byKind.values()].flatMap(countsOf),
  }
}

function countsOf({ owner, kind, counts }: KindCounts): RunningCounts[] {
  return ENVIRONMENTS.map((environment) => {
    const { stored, duplicate, quarantined, failed } = counts[environment].callbacks
    const succeeded = stored + duplicate + quarantined
    return {
      environment: realmOf(owner.institution ?? null, environment),
      kind,
      destinationId: null,
      succeeded,
      failed,
    }
  })
}

function newCounts(): Counts {
  return {
    callbacks: { stored: 0, duplicate: 0, quarantined: 0, failed: 0 },
    facts: { event: 0, duplicate: 0, quarantined: 0 },
    late: 0,
  }
}

function resultOf(stored: StoredCallback): Result {
  if (stored.eventIds.length > 0) return 'stored'
  // A token whose job waited already is not stored again.
  if (stored.tokenId !== undefined) return stored.callbackId === null ? 'duplicate' : 'stored'
  return stored.quarantineIds === undefined ? 'duplicate' : 'quarantined'
}
