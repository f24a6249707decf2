import { z } from 'zod'
import type { Account } from '../applications.ts'
import type { Answer, Method, Reply } from '../http/endpoint.ts'
import type { Site } from '../site.ts'

/** A checked request to the control API. */
export interface ControlCall<Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The environment that the query names; the sandbox without one. */
  readonly site: Site
  /** The environment that the query names; both without one. */
  readonly sites: readonly Site[]
}

/** One endpoint below /control. Every one takes the query `environment`. */
export interface ControlEndpoint {
  readonly id: string
  readonly method: Method | 'patch'
  /** Without /control, as Express writes it. */
  readonly path: string
  readonly summary: string
  /** Without the query `environment` it concerns both: the handler uses `sites`. */
  readonly isForBoth?: true
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly answers: Readonly<Record<number, Answer>>
  readonly run: (call: ControlCall<never, never>) => Reply | Promise<Reply>
}

/** Types the handler by the schemas that check its requests. */
export function controlEndpoint<Q extends z.ZodObject = z.ZodObject, B extends z.ZodType = z.ZodUndefined>(
  definition: Omit<ControlEndpoint, 'query' | 'body' | 'run'> & {
    readonly query?: Q
    readonly body?: B
    readonly run: (call: ControlCall<z.output<Q>, z.output<B>>) => Reply | Promise<Reply>
  },
): ControlEndpoint {
  return definition as ControlEndpoint
}

/** Query of lists that show their newest records: how many. */
export const newestLimit = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be 1 to 9999')
  .default('100')

/** A refusal of the control API: what is wrong and what to do, in English. */
export class ControlError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ControlError'
    this.status = status
  }
}

/** @param number with or without its digit, as 200001 and 200001-7 @throws ControlError 404 */
export function accountOf({ applications, environment }: Site, { number = '' }: ControlCall['params']): Account {
  const accounts = applications.accounts()
  const found = accounts.find((account) => number === account.number || number === `${account.number}-${account.digit}`)
  if (found !== undefined) return found
  const known = accounts.map((account) => account.number).join(', ')
  throw new ControlError(404, `no account ${number} in ${environment}: there are ${known}`)
}
