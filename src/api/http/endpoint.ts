import type { z } from 'zod'
import type { Scope } from '../../domain/scopes.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'
import type { Parameters } from './query.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What the contract says of one endpoint (OpenAPI 3.1 section 4.8.10). */
export interface Operation {
  /** Unique: clients that are generated call it so. */
  readonly id: string
  readonly method: Method
  /** As Express writes it. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly errors: ErrorShape
  /** What the segments of the path mean, by their names. */
  readonly segments?: Readonly<Record<string, string>>
  readonly query?: Parameters | z.ZodObject
  readonly body?: Body
  /** By status; those that follow from the rest are added: 401 and 403, 413 and 415 with a body, 500 and 503. */
  readonly answers: Readonly<Record<number, Answer>>
}

/** A request's body. */
export interface Body {
  readonly schema: z.ZodType
  readonly types: readonly string[]
  readonly isRequired: boolean
  readonly example?: unknown
}

export interface Answer {
  readonly description: string
  /** Default: there is no body, or one of `type` that is no JSON. */
  readonly schema?: z.ZodType
  /** Default `application/json`. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, AnswerHeader>>
}

/** OpenAPI 3.1 section 4.8.21. */
export interface AnswerHeader {
  readonly description: string
  /** It is never missing. */
  readonly required?: boolean
  readonly schema: JsonSchema
}

/**
 * `public`: everybody. `scopes`: whoever `scope-rules.ts` lets in. A scope of the service's contract: a client that has it, with its certificate
 * where one is needed.
 */
export type Access = 'public' | 'scopes' | { readonly contract: Scope }

/** `problem`: RFC 9457. `contract`: as the service writes them. `token`: RFC 6749 section 5.2. */
export type ErrorShape = 'problem' | 'contract' | 'token'

/** Groups of endpoints, in the order in which they are read. */
export const TAGS = {
  Events:
    'What the service has called back, one fact an event: polled for with a cursor, shown with its evidence, replayed.',
  Consumers: 'Named readers of events whose positions are kept here: take a batch, work on it, acknowledge it.',
  Replays: 'Events that are delivered once more, many at a time, behind everything that is new.',
  Deliveries: 'One event owed to one destination, and what became of it.',
  Quarantine: 'Facts about accounts that are not your own: kept, and held back until you decide.',
  Destinations: 'Where events are forwarded to.',
  Storage: 'What is kept, and for how long. For the operator.',
  Registrations: "The service's own webhook contract: an app registers here as it would with the service.",
  Clients: 'Users of this API, with their secrets and scopes. For the operator.',
  Tokens: 'Access tokens for clients (OAuth 2.0, client credentials).',
  Operations: 'Refused callers, certificates, health.',
  Contract: 'What this is, for programs.',
} as const
export type Tag = keyof typeof TAGS
