import type { ClientEnvironment } from '../../domain/client.ts'
import type { Scope } from '../../domain/scopes.ts'

/** Who asks: the operator, who may do everything, or a client. */
export type Principal = { readonly kind: 'operator' } | ClientPrincipal

export interface ClientPrincipal {
  readonly kind: 'client'
  readonly id: string
  readonly environment: ClientEnvironment
  /** Those of its token. */
  readonly scopes: ReadonlySet<Scope>
  /** The token counts only beside the certificate that was shown for it (RFC 8705). */
  readonly isBound: boolean
}
