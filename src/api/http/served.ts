import type { AnswerOf, Contract, Contracts, Handlers, QueryOf } from './contract.ts'
import type { Body, Call, Endpoint, Reply, TypedEndpoint } from './endpoint.ts'
import { optionalBody, requiredBody } from './json-body.ts'

type Served<C extends Contracts> = { readonly [Id in keyof C]: TypedEndpoint<QueryOf<C[Id]>, AnswerOf<C[Id]>> }

type Run<Parts> = (call: Call<never, never>, parts: Parts) => Reply | Promise<Reply>
type Handler<Parts> = Pick<Endpoint, 'before' | 'recording'> & {
  readonly run: Run<Parts>
  readonly details?: (call: Call, parts: Parts) => Record<string, unknown> | Promise<Record<string, unknown>>
}

/** The endpoints of a noun, over the parts of this process. */
export function served<C extends Contracts, Parts>(
  contracts: C,
  handlers: Handlers<C, Parts>,
  parts: Parts,
): Served<C> {
  const entries = Object.entries<Contract>(contracts).map(([id, contract]) => {
    const handler = handlers[id] as unknown as Run<Parts> | Handler<Parts>
    if (typeof handler === 'function') return [id, { ...lasting(contract), run: (call: never) => handler(call, parts) }]
    const { run, details, ...more } = handler
    const about = details && { details: (call: Call) => details(call, parts) }
    return [id, { ...lasting(contract), ...more, ...about, run: (call: never) => run(call, parts) }]
  })
  return Object.fromEntries(entries) as Served<C>
}

type Lasting = Omit<Endpoint, 'run'>
const made = new WeakMap<Contract, Lasting>()

/** What every API of a process shares. */
function lasting(contract: Contract): Lasting {
  const known = made.get(contract)
  if (known !== undefined) return known
  const { body, ...rest } = contract
  const all = { ...rest, ...(body !== undefined && { body: bodyOf(body) }) }
  made.set(contract, all)
  return all
}

function bodyOf({ schema, isOptional = false, ...words }: NonNullable<Contract['body']>): Body {
  return (isOptional ? optionalBody : requiredBody)(schema, words)
}
