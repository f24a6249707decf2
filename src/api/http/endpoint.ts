import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Caller } from '../../domain/client.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { JsonSchema } from './json-schema.ts'
import type { View } from './schema-parts.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A request to an endpoint, over HTTP or from this process. Query and body: as they were sent, or as their schemas read them. */
export interface Call<Query = unknown, Body = unknown> extends Caller {
  /** Segments of the path by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** Why a person does this, for the log of actions; null: no reason was given. */
  readonly reason: string | null
  /** null: a page or a command calls, which neither waits nor reads a stream. */
  readonly http: Exchange | null
}

/** What waits and streams need of a request over HTTP. */
export interface Exchange {
  readonly request: Request
  readonly response: Response
}

export interface Reply<Json = unknown> {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: Json
  /** JSON already: callbacks' data keeps its numbers as they were written. Several replies may share the bytes. */
  readonly jsonText?: string | Buffer
  /** Sent as `type`. */
  readonly content?: string | Uint8Array
  readonly type?: string
  /** Over HTTP the answer was sent while the endpoint ran. */
  readonly isSent?: true
}

/** What an action creates, and for whom, as far as the call says it. Without secrets and personal data: the log of actions keeps it. */
export type DetailsOf = (call: Call) => Record<string, unknown> | Promise<Record<string, unknown>>

/** One endpoint: who may call it, what it does, and what the document says about it (OpenAPI 3.1 section 4.8.10). */
export interface Endpoint {
  readonly method: Method
  /** As Express writes it. */
  readonly path: string
  readonly access: Access
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly errors: ErrorShape
  /** What the segments of the path mean, by their names. */
  readonly segments?: Readonly<Record<string, string>>
  readonly query?: z.ZodObject
  /** Optional headers that only this endpoint reads. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** By status; the document adds those that follow from the rest: 401 and 403, 413 and 415 with a body, 500 and 503. */
  readonly answers: Answers
  /**
   * Whether its handler takes one of the turns of the client (`BoundedAnswers`), because it reads much; left out: a GET does. Not where it waits for
   * something else than the store.
   */
  readonly takesTurn?: boolean
  /** Runs after the access check and before the body is read. */
  readonly before?: RequestHandler
  /** How the query is checked; left out: an error of the query is `request_invalid`. */
  readonly checkQuery?: <Query>(schema: z.ZodType<Query>, given: unknown) => Query
  readonly run: (call: Call<never, never>) => Reply | Promise<Reply>
  /**
   * How uses are recorded in the log of actions; left out: with the query parameter `reason`, unless the endpoint only reads. `off`: not at all, for
   * requests that change nothing, or that programs make without a person.
   */
  readonly recording?: 'off' | RequiredReason
  /** What an entry of the log of actions says of the request, beside its target: members of its body, or else of its query, by their names. */
  readonly details?: DetailsOf | readonly string[]
  /** Answers errors that only this endpoint has; left out: the handler of its group answers them. */
  readonly answerErrors?: ErrorRequestHandler
}

/** For a use that needs a reason, which is not in the query. */
export interface RequiredReason {
  /** @throws PortariaError `request_invalid` */
  readonly reasonOf: (call: Call) => string
}

/** Any of the scopes is enough, and the operator always has access. `public`: everybody, without a token. */
export type Access = 'public' | 'operator' | readonly [Scope, ...Scope[]]

/** A request's body. */
export interface Body<Checked = unknown> {
  readonly schema: z.ZodType
  /** @param given as parsed; undefined: there was none. @throws an error in the format of the endpoint */
  readonly check: (given: unknown) => Checked
  readonly types: readonly string[]
  /** For the document. */
  readonly isRequired: boolean
  readonly example?: unknown
  readonly read: readonly RequestHandler[]
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

/** `problem`: RFC 9457. `service`, `charges`: as the service writes them, Documents 1 and 2. `token`: RFC 6749 section 5.2. */
export type ErrorShape = 'problem' | 'service' | 'charges' | 'token'

export type Answers = Readonly<Record<number, Answer>>

/** What the schemas of an endpoint say: how its query is read, and what a successful answer has. */
export interface TypedEndpoint<Query, Json> extends Endpoint {
  /** For the compiler alone. */
  readonly types?: { readonly query: Query; readonly json: Json }
}

/** What a successful answer has; never: it is no JSON, or empty. */
export type JsonOf<A extends Answers> = {
  [Status in keyof A]: Status extends 200 | 201 | 202
    ? A[Status] extends { readonly schema: infer Schema extends z.ZodType }
      ? View<Schema>
      : never
    : never
}[keyof A]

/** Types `run` by the schemas that check its calls and describe its answers. */
export function endpoint<A extends Answers, Q extends z.ZodObject = z.ZodObject, B = undefined>(
  definition: Omit<Endpoint, 'query' | 'body' | 'answers' | 'run'> & {
    readonly query?: Q
    readonly body?: Body<B>
    readonly answers: A
    readonly run: (call: Call<z.output<Q>, B>) => Reply<JsonOf<A>> | Promise<Reply<JsonOf<A>>>
  },
): TypedEndpoint<z.output<Q>, JsonOf<A>> {
  return definition as Endpoint
}

/** A segment of the path that the endpoint names with a colon. */
export function segmentOf({ params }: Call, name: string): string {
  return String(params[name])
}

/** Groups of endpoints, in the order in which they are read. */
export const TAGS = {
  Events: "Facts from the service's callbacks: poll with a cursor, show with evidence, replay.",
  Consumers: 'Named readers whose positions the gateway stores: lease a batch, process it, acknowledge it.',
  Replays: 'Deliver many past events again, with lower priority than new ones.',
  Deliveries: 'One event to be sent to one destination, and its outcome.',
  Reconciliation: 'What callbacks did not tell: asked for at the service, counted where it does not tell it.',
  Quarantine: 'Facts about accounts that are not yours: stored, and held back until you decide.',
  Destinations: 'URLs to which events are forwarded.',
  Storage: 'Retention and redaction. For the operator.',
  Registrations: "The service's own webhook API: apps register here as they would with the service.",
  Charges:
    "The service's own metadata endpoints: apps set the notification address of a charge here as they would at the service.",
  Clients: 'Programs that use this API, with their secrets and scopes. For the operator.',
  Tokens: 'Access tokens for clients (OAuth 2.0 client credentials), and for people on a device (RFC 8628).',
  Operations: 'Refused callers, certificates, health.',
  Contract: 'This document, for programs and as a page.',
} as const
export type Tag = keyof typeof TAGS
