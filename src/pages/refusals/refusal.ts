import type { View } from '../../api/http/schema-parts.ts'
import type { refusalSchema } from '../../api/refusals/schema.ts'
import { REFUSAL_REASONS } from '../../domain/refusal.ts'
import type { Catalogue } from '../../messages/catalogue.ts'

export type RefusalView = View<typeof refusalSchema>
/** A certificate that a refused caller showed. */
export type PeerView = RefusalView['chain'][number]

/** The reason in the reader's language. */
export function reasonText({ code, reason }: Pick<RefusalView, 'code' | 'reason'>, { refusals }: Catalogue): string {
  // A code of a newer gateway, in its database, has no translation here.
  return Object.hasOwn(refusals.reasons, code) ? refusals.reasons[code] : reason
}

/** The recorded text where it says more than its code; null: it does not. */
export function exactReason({ code, reason }: Pick<RefusalView, 'code' | 'reason'>): string | null {
  return reason === REFUSAL_REASONS[code] ? null : reason
}
