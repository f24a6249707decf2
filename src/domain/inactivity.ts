import { durationText } from '../platform/units.ts'
import type { Environment, OwnEvent } from './event.ts'

/** How long a kind may be silent. */
export interface InactivityRule {
  readonly kind: string
  readonly alertAfterMs: number
}

/** A kind that is watched. */
export interface KindActivity {
  readonly kind: string
  /** When its last notification came; null: none ever did. */
  readonly lastReceivedAt: number | null
  /** For longer than it may be. */
  readonly isInactive: boolean
}

/** A kind has been silent for too long, and the event that tells it. It goes out once for a kind and the moment from which it is silent. */
export interface Inactivity {
  readonly kind: string
  /** 0: from the beginning, none ever came. */
  readonly since: number
  readonly event: OwnEvent
}

export function inactivityOf(
  { kind, alertAfterMs }: InactivityRule,
  { environment, lastReceivedAt, now }: { environment: Environment; lastReceivedAt: number | null; now: number },
): Inactivity {
  const lastReceived = lastReceivedAt === null ? null : new Date(lastReceivedAt).toISOString()
  const body = {
    type: 'kind.silent',
    kind,
    environment,
    silence: durationText(alertAfterMs),
    lastReceivedAt: lastReceived,
  }
  return {
    kind,
    since: lastReceivedAt ?? 0,
    event: { environment, madeAt: now, subject: kind, status: 'silent', body: JSON.stringify(body) },
  }
}
