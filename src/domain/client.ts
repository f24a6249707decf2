import { ENVIRONMENTS } from './realm.ts'
import type { Scope } from './scopes.ts'

export const CLIENT_ENVIRONMENTS = [...ENVIRONMENTS, 'any'] as const
export type ClientEnvironment = (typeof CLIENT_ENVIRONMENTS)[number]

/** The most clients that are not revoked: all of them are in memory. */
export const CLIENT_LIMIT = 1000

export interface NewClient {
  /** Public, `cli_…`. */
  readonly id: string
  readonly name: string
  /** `any`: it reads events of both, and registers for both. */
  readonly environment: ClientEnvironment
  readonly scopes: readonly Scope[]
  /** From `hashOfSecret`. */
  readonly secretHash: string
}

/** A user of the API. */
export interface Client extends NewClient {
  readonly previousSecret: PreviousSecret | null
  /** Tokens of earlier generations are invalid. */
  readonly generation: number
  readonly createdAt: number
  readonly rotatedAt: number | null
  readonly revokedAt: number | null
}

/** The secret before the last rotation, valid for a time beside the new one. */
export interface PreviousSecret {
  readonly hash: string
  readonly validUntil: number
}

/** Begins the alternative names (URI) that say what a certificate of a private authority is for. */
export const OWN_NAME = 'urn:portaria:'

/** Of a certificate for an institution: it may call back, and is that of no client of the API. */
export const INSTITUTION_NAME = `${OWN_NAME}institution`

/** Begins the alternative name (URI) of a certificate that serves one client alone; the id of the client follows. */
export const CLIENT_NAME = `${OWN_NAME}client:`

/** null: the name is valid. */
export function problemOfClientName(name: string): string | null {
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/.test(name) && !name.startsWith('cli_')
    ? null
    : 'must be letters, digits, dots and hyphens, at most 63, and begin with a letter or a digit'
}

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
  /** Who signed in at an OpenID provider: its id is no client's. Left out: a client. */
  readonly person?: ProviderIdentity
}

/** A person, as an OpenID provider names them. */
export interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
  /** For people: names need not be unique, and may change. */
  readonly name: string
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
