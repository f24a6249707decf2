import type { OwnEvent } from '../../domain/event.ts'
import type { RaisedWarning } from '../../domain/event-record.ts'
import { namedParts, type Realm } from '../../domain/realm.ts'
import type { KnownSubject } from '../../domain/reconcile/subjects.ts'
import type { Store } from '../../domain/store.ts'
import type { Log } from '../../platform/log.ts'
import { iso } from '../../platform/time.ts'
import { durationText } from '../../platform/units.ts'
import type { ReconcileSettings } from './settings.ts'

export interface SilenceParts {
  readonly store: Pick<Store, 'listDelays' | 'listSilentSubjects' | 'raiseSilence'>
  readonly now: () => number
  /** An operator event was stored, with pending deliveries to these destinations. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  readonly log: Log
}

/** Delays that the usual one is learned from, and the fewest of them. */
const LEARNED_FROM = 1000
const FEWEST = 20
const USUAL_SHARE = 0.99
const SHORTEST_MS = 60_000
/** Until enough is learned. */
const UNLEARNED_MS = 86_400_000
const AT_ONCE = 100

/** Stores an operator event, once, for each expected subject that has been silent for longer than its kind usually is. */
export async function raiseSilences(
  environment: Realm,
  settings: ReconcileSettings,
  parts: SilenceParts,
): Promise<void> {
  const { store, now } = parts
  for (const kind of [settings.payments, settings.openings, settings.charges]) {
    if (kind === null) continue
    const usualMs = settings.silentAfterMs ?? (await usualDelay(store, kind, environment))
    for (const silent of await store.listSilentSubjects(kind, environment, now() - usualMs, AT_ONCE))
      await raise(silent, usualMs, parts)
  }
}

async function usualDelay(store: SilenceParts['store'], kind: string, environment: Realm): Promise<number> {
  const delays = (await store.listDelays(kind, environment, LEARNED_FROM)).sort((a, b) => a - b)
  if (delays.length < FEWEST) return UNLEARNED_MS
  return Math.max(SHORTEST_MS, delays[Math.ceil(delays.length * USUAL_SHARE) - 1] as number)
}

async function raise(
  silent: KnownSubject,
  usualMs: number,
  { store, now, onRaised, log }: SilenceParts,
): Promise<void> {
  const { kind, environment, subject, expectedAt } = silent
  const facts = {
    kind,
    ...namedParts(environment),
    subject,
    expectedAt: iso(expectedAt ?? 0),
    silence: durationText(usualMs),
  }
  const body = JSON.stringify({ type: 'expected.silent', ...facts })
  const event = { environment, madeAt: now(), subject, status: 'silent', body }
  const raised = await store.raiseSilence({ key: { kind, environment, subject }, event })
  if (raised === null) return
  log.warn({ ...facts, eventId: raised.eventId }, 'expected.silent')
  onRaised(event, raised)
}
