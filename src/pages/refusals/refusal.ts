import type { Environment } from '../../domain/event.ts'
import { REFUSAL_REASONS, type RefusalCode, type RefusingListener } from '../../domain/refusal.ts'
import type { Catalogue } from '../../messages/catalogue.ts'

/** A refusal of the API. */
export interface ShownRefusal {
  readonly id: string
  readonly refusedAt: string
  readonly listener: RefusingListener
  readonly remoteAddress: string
  readonly code: RefusalCode
  readonly reason: string
  readonly rawCode: string | null
  readonly detail: string | null
  readonly environment: Environment | null
  readonly tlsVersion: string | null
  readonly serverName: string | null
  readonly chain: readonly ShownPeer[]
  readonly count: number
  readonly probe: boolean
}

/** A certificate that a refused caller showed. */
export interface ShownPeer {
  readonly subject: string
  readonly issuer: string
  readonly fingerprint: string
  readonly notBefore: string | null
  readonly notAfter: string | null
}

/** The reason in the reader's language. */
export function reasonText({ code, reason }: Pick<ShownRefusal, 'code' | 'reason'>, { refusals }: Catalogue): string {
  // A code of a newer gateway, in its database, has no translation here.
  return Object.hasOwn(refusals.reasons, code) ? refusals.reasons[code] : reason
}

/** The recorded text where it says more than its code; null: it does not. */
export function exactReason({ code, reason }: Pick<ShownRefusal, 'code' | 'reason'>): string | null {
  return reason === REFUSAL_REASONS[code] ? null : reason
}
