import { ENVIRONMENTS } from './event.ts'
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

/** null: the name is valid. */
export function problemOfClientName(name: string): string | null {
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/.test(name) && !name.startsWith('cli_')
    ? null
    : 'must be letters, digits, dots and hyphens, at most 63, and begin with a letter or a digit'
}
