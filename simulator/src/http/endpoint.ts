import type { z } from 'zod'
import type { Application } from '../applications.ts'
import type { Refusal, ServiceError } from './service-error.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** A checked request. */
export interface Call<Query = unknown, Body = unknown> {
  /** Segments of the path by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The application that the token was issued to. */
  readonly application: Application
  /** Simulated time of the request, in ms since 1970. */
  readonly at: number
}

export interface Reply {
  readonly status: number
  /** Sent as JSON; left out: no body. */
  readonly json?: unknown
  /** Sent as `type`, default text/plain. */
  readonly text?: string
  readonly type?: string
}

/** One endpoint of an interface: its route, its access, its contract and what it does. */
export interface Endpoint {
  /** Number of Document 1 or 2, as `1:22`; null: an endpoint of service-decisions.md. */
  readonly number: string | null
  /** Operation id of the OpenAPI document. */
  readonly id: string
  readonly method: Method
  /** As Express writes it. The segment `svc` becomes the configured one. */
  readonly path: string
  /** Segments of the path that take digits only; other values are another path. */
  readonly digits?: readonly string[]
  /** Required scope, with `svc` for the configured segment; null: any token will do. */
  readonly scope: string | null
  readonly summary: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** By status; the document adds those of every endpoint. */
  readonly answers: Readonly<Record<number, Answer>>
  /** Left out: 400 with every violation. */
  readonly invalid?: (error: z.ZodError, part: 'query' | 'body', value: unknown) => ServiceError
  /** For a body that is no JSON. Left out: 400 in the interface's form. */
  readonly unreadable?: (refusal: Refusal) => ServiceError
  /** For what is refused before the endpoint runs, faults included. Left out, and for undefined: the interface's form. */
  readonly refused?: (refusal: Refusal) => ServiceError | undefined
  readonly run: (call: Call<never, never>) => Reply | Promise<Reply>
}

export interface Answer {
  readonly description: string
  /** Left out: no body. */
  readonly schema?: z.ZodType
  /** Default: application/json. */
  readonly type?: string
}

/** Types the handler by the schemas that check its requests. */
export function endpoint<Q extends z.ZodObject = z.ZodObject, B extends z.ZodType = z.ZodUndefined>(
  definition: Omit<Endpoint, 'query' | 'body' | 'run'> & {
    readonly query?: Q
    readonly body?: B
    readonly run: (call: Call<z.output<Q>, z.output<B>>) => Reply | Promise<Reply>
  },
): Endpoint {
  return definition as Endpoint
}
