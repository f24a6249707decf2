import type { ClientEnvironment } from '../../domain/client.ts'
import type { Scope } from '../../domain/scopes.ts'

/** The authenticated caller: the operator, who has access to everything, or a client. */
export type Principal = { readonly kind: 'operator' } | ClientPrincipal

export interface ClientPrincipal {
  readonly kind: 'client'
  readonly id: string
  readonly environment: ClientEnvironment
  /** Of the token, as far as the client still has them. */
  readonly scopes: ReadonlySet<Scope>
  /** Of the client when the token was issued: a revocation or a changed secret ends it. */
  readonly generation: number
  /** Whether the token is bound to a peer certificate (RFC 8705). */
  readonly isBound: boolean
}
