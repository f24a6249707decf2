import { durationText } from '../platform/units.ts'
import type { OwnEvent } from './event.ts'
import { institutionOf, kindKey, namedParts, type Realm } from './realm.ts'

/** How long a kind may be silent. */
export interface InactivityRule {
  readonly kind: string
  /** Only its callbacks count: those from sandbox say nothing about production. */
  readonly environment: Realm
  readonly alertAfterMs: number
}

/** A kind with `alertAfter`. */
export interface KindActivity extends Pick<InactivityRule, 'kind' | 'environment'> {
  /** When its last callback came, in ms since 1970; null: none has come. */
  readonly lastReceivedAt: number | null
  /** Silent for longer than `alertAfter`. */
  readonly isInactive: boolean
}

/** An alarm about a silent kind, and its event. Raised once for a kind and the beginning of its silence. */
export interface Inactivity {
  /** With the institution in front of it, if that has a name. */
  readonly kind: string
  /** In ms since 1970; 0: no callback has ever come. */
  readonly since: number
  readonly event: OwnEvent
}

export function inactivityOf(
  { kind, environment, alertAfterMs }: InactivityRule,
  { lastReceivedAt, now }: { lastReceivedAt: number | null; now: number },
): Inactivity {
  const lastReceived = lastReceivedAt === null ? null : new Date(lastReceivedAt).toISOString()
  const body = {
    type: 'kind.silent',
    kind,
    ...namedParts(environment),
    silence: durationText(alertAfterMs),
    lastReceivedAt: lastReceived,
  }
  return {
    kind: kindKey(institutionOf(environment), kind),
    since: lastReceivedAt ?? 0,
    event: { environment, madeAt: now, subject: kind, status: 'silent', body: JSON.stringify(body) },
  }
}
