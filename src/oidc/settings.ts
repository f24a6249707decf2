import type { Environment } from '../domain/realm.ts'
import type { Scope } from '../domain/scopes.ts'

/** An OpenID provider, and what its people may do here. */
export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** PEM; null: the public authorities. */
  readonly authorities: { readonly pem: string | null } | null
  /** Of the authorization request. */
  readonly scopes: readonly string[]
  /** The claim with a person's roles. */
  readonly claim: string
  readonly roles: readonly OidcRole[]
}

export interface OidcRole {
  readonly value: string
  readonly scopes: readonly Scope[]
  readonly environments: readonly Environment[]
}

export type Claims = Readonly<Record<string, unknown>>

/** Clocks of provider and gateway may differ so much. */
export const CLOCK_TOLERANCE_S = 60
