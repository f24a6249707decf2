/** What an operation is, apart from what it does: data, which a command loads without the API's libraries, the store and the configuration. */

import type { z } from 'zod'
import type { Call, DetailsOf, Endpoint, JsonOf, Reply } from './endpoint.ts'

/** A JSON body. */
export interface BodyForm {
  readonly schema: z.ZodType
  /** In the text of its errors. */
  readonly what: string
  /** As in `checkBody`. */
  readonly hints?: Readonly<Record<string, string>>
  readonly example: unknown
  /** The content types that are accepted; default `application/json`. */
  readonly types?: readonly string[]
  /** It may be left out, which is the same as an empty object. */
  readonly isOptional?: boolean
}

/** What is no data. */
type Handled = 'before' | 'checkQuery' | 'recording' | 'details' | 'answerErrors'

export interface ContractForm extends Omit<Endpoint, 'body' | 'run' | Handled> {
  readonly body?: BodyForm
  readonly recording?: 'off'
  /** In the words of the log of actions, where uses are recorded. */
  readonly action?: string
  readonly details?: readonly string[]
}

export interface Contract extends ContractForm {
  /** Unique: generated clients name their function after it, and the log of actions keeps it. */
  readonly id: string
}

export type Contracts = Readonly<Record<string, Contract>>

type Forms = Readonly<Record<string, ContractForm>>
type NoOthers<F extends Forms> = {
  readonly [Id in keyof F]: { readonly [K in Exclude<keyof F[Id], keyof ContractForm>]: never }
}
type Named<F extends Forms> = { readonly [Id in keyof F]: F[Id] & { readonly id: Id & string } }

/** The contracts of a noun, each with its id. */
export function contracts<const F extends Forms>(forms: F & NoOthers<F>): Named<F> {
  return Object.fromEntries(Object.entries<ContractForm>(forms).map(([id, form]) => [id, { ...form, id }])) as Named<F>
}

/** What a successful answer has; never: it is no JSON, or empty. */
export type AnswerOf<C extends ContractForm> = JsonOf<C['answers']>
export type QueryOf<C> = C extends { readonly query: infer Schema extends z.ZodType } ? z.output<Schema> : unknown
export type GivenQueryOf<C> = C extends { readonly query: infer Schema extends z.ZodType } ? z.input<Schema> : unknown
type BodyOf<C> = C extends { readonly body: { readonly schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : undefined
export type SegmentsOf<C> = C extends { readonly segments: infer S } ? { readonly [Name in keyof S]: string } : unknown

type Run<C extends ContractForm, Parts> = (
  call: Call<QueryOf<C>, BodyOf<C>>,
  parts: Parts,
) => Reply<AnswerOf<C>> | Promise<Reply<AnswerOf<C>>>

/** What an operation does, with what cannot be data. */
export interface Handler<C extends ContractForm, Parts> extends Pick<Endpoint, Exclude<Handled, 'details'>> {
  readonly details?: (call: Call, parts: Parts) => ReturnType<DetailsOf>
  readonly run: Run<C, Parts>
}

/** What the operations of a noun do, over the parts of a process. */
export type Handlers<C extends Contracts, Parts> = {
  readonly [Id in keyof C]: Run<C[Id], Parts> | Handler<C[Id], Parts>
}
