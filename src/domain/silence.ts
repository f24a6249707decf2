import { durationText } from '../platform/units.ts'
import type { Environment, OwnEvent } from './event.ts'

/** How long a kind may be silent. */
export interface SilenceRule {
  readonly kind: string
  readonly silenceMs: number
}

/** A kind that is watched. */
export interface HeardKind {
  readonly kind: string
  /** When its last notification came; null: none ever did. */
  readonly heardAt: number | null
  /** For longer than it may be. */
  readonly isSilent: boolean
}

/** A kind has been silent for too long, and the event that tells it. It goes out once for a kind and the moment from which it is silent. */
export interface Silence {
  readonly kind: string
  /** 0: from the beginning, none ever came. */
  readonly since: number
  readonly event: OwnEvent
}

export function silenceOf(
  { kind, silenceMs }: SilenceRule,
  { environment, heardAt, now }: { environment: Environment; heardAt: number | null; now: number },
): Silence {
  const lastReceivedAt = heardAt === null ? null : new Date(heardAt).toISOString()
  const body = { type: 'kind.silent', kind, environment, silence: durationText(silenceMs), lastReceivedAt }
  return {
    kind,
    since: heardAt ?? 0,
    event: { environment, madeAt: now, subject: kind, status: 'silent', body: JSON.stringify(body) },
  }
}
