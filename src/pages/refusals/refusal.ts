import type { View } from '../../api/http/schema-parts.ts'
import type { refusalSchema } from '../../api/refusals/schema.ts'
import { REFUSAL_REASONS } from '../../domain/refusal.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'

export const LISTENERS: Readonly<Record<RefusalView['listener'], Said>> = {
  callbacks: say`callbacks`,
  charges: say`charges`,
  api: say`API`,
}

export type RefusalView = View<typeof refusalSchema>
/** A certificate that a refused caller showed. */
export type PeerView = RefusalView['chain'][number]

/** The reason in the reader's language. */
export function reasonText({ code, reason }: Pick<RefusalView, 'code' | 'reason'>, t: Speaker): string {
  // A code of a newer gateway, in its database, has no translation here.
  return Object.hasOwn(REFUSAL_REASONS, code) ? t.template(REFUSAL_REASONS[code]) : reason
}

/** The recorded text where it says more than its code; null: it does not. */
export function exactReason({ code, reason }: Pick<RefusalView, 'code' | 'reason'>): string | null {
  return reason === REFUSAL_REASONS[code] ? null : reason
}
