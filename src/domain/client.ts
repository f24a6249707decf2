import { ENVIRONMENTS } from './event.ts'
import type { Scope } from './scopes.ts'

export const CLIENT_ENVIRONMENTS = [...ENVIRONMENTS, 'any'] as const
export type ClientEnvironment = (typeof CLIENT_ENVIRONMENTS)[number]

/** Clients that are not revoked, so many: every one of them is held in memory. */
export const CLIENT_LIMIT = 1000

export interface NewClient {
  /** Public, `cli_…`. */
  readonly id: string
  readonly name: string
  /** `any`: it sees events of both, and registers for both. */
  readonly environment: ClientEnvironment
  readonly scopes: readonly Scope[]
  /** As `hashOfSecret` makes it. */
  readonly secretHash: string
}

/** A user of the API. */
export interface Client extends NewClient {
  readonly previousSecret: PreviousSecret | null
  /** A token of an earlier generation counts no more. */
  readonly generation: number
  readonly createdAt: number
  readonly rotatedAt: number | null
  readonly revokedAt: number | null
}

/** The secret before the last rotation, as long as it counts beside the new one. */
export interface PreviousSecret {
  readonly hash: string
  readonly validUntil: number
}

/** null: a good name. */
export function problemOfClientName(name: string): string | null {
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/.test(name) && !name.startsWith('cli_')
    ? null
    : 'must be letters, digits, dots and hyphens, at most 63, and begin with a letter or a digit'
}
