import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { EventWithBody } from '../../domain/event-record.ts'
import type { SeenBatch, SeenEvents, SeenSubject } from '../../domain/reconcile/reconcile-store.ts'
import { dayOfServiceTime } from '../../domain/reconcile/service-day.ts'
import { type ChargeType, chargeTypeOf } from '../../domain/reconcile/subjects.ts'
import { iso } from '../../platform/time.ts'
import type { SettingsOf } from './settings.ts'

type Seen = Pick<SeenBatch, 'subjects' | 'events'>

/** What events tell: the subjects of the kinds that are reconciled, and how many events each kind has on each day. */
export function seenIn(events: readonly EventWithBody[], settingsOf: SettingsOf): Seen {
  const days = new Map<string, SeenEvents>()
  const subjects: SeenSubject[] = []
  for (const event of events) {
    if (KINDS_BY_NAME_ONLY.includes(event.kind)) continue
    count(days, event)
    const seen = subjectOf(event, settingsOf)
    if (seen !== null) subjects.push(seen)
  }
  return { subjects, events: [...days.values()] }
}

function count(days: Map<string, SeenEvents>, { kind, environment, receivedAt, source }: EventWithBody): void {
  const day = iso(receivedAt).slice(0, 10)
  const key = JSON.stringify([kind, environment, day])
  const { received = 0, reconciled = 0 } = days.get(key) ?? {}
  const isReconciled = source === 'reconciled'
  days.set(key, {
    kind,
    environment,
    day,
    received: received + (isReconciled ? 0 : 1),
    reconciled: reconciled + (isReconciled ? 1 : 0),
  })
}

/** null: the service cannot be asked about it. */
function subjectOf(event: EventWithBody, settingsOf: SettingsOf): SeenSubject | null {
  const { kind, environment, subject, status, receivedAt, mark, source, payloadRemovedAt } = event
  const settings = settingsOf(environment)
  // Without its data it may have been redacted.
  if (
    settings === null ||
    payloadRemovedAt !== null ||
    subject === null ||
    mark === 'unparsed' ||
    source === 'unresolved'
  )
    return null
  const common = { kind, environment, subject, status, receivedAt }
  if (kind === settings.payments) return { ...common, type: 'payment', token: null, day: requestDayOf(event) }
  if (kind === settings.openings) return { ...common, type: 'opening', token: null, day: null }
  return kind === settings.charges ? { ...common, ...chargeOf(event), day: null } : null
}

function requestDayOf({ body }: EventWithBody): string | null {
  return dayOfServiceTime(member(member(parsed(body), 'horario'), 'solicitacao'))
}

function chargeOf({ body }: EventWithBody): { type: ChargeType; token: string | null } {
  const notification = member(parsed(body), 'notification')
  const [entry] = [member(notification, 'entries')].flat()
  const token = member(notification, 'token')
  return { type: chargeTypeOf(entry), token: typeof token === 'string' ? token : null }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    // Another charset, or no JSON: the event has its subject nevertheless.
    return null
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
