import type { ClientEnvironment } from './client.ts'
import type { Scope } from './scopes.ts'

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

/** Who asks, and whether to read or to change. */
export interface Caller {
  /** null: a public endpoint was called. */
  readonly principal: Principal | null
  readonly isReading: boolean
}

/** @throws Error for a caller without authentication, which is a programming error */
export function principalOf({ principal }: Caller): Principal {
  if (principal === null) throw new Error('the request passed no authentication')
  return principal
}

/** The client's id, or `operator`. */
export function clientOf(caller: Caller): string {
  const principal = principalOf(caller)
  return principal.kind === 'operator' ? principal.kind : principal.id
}
