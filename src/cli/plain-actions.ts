/**
 * Actions of commands that ask one operation and print its answer. An option that has the name of a member of the operation's query gives it, and the
 * arguments of the command are the segments of its path.
 */

import type { AnswerOf, Contract } from '../api/http/contract.ts'
import type { Said } from '../platform/said.ts'
import type { Input, QueryValue } from './asking.ts'
import { withCaller, withChanger } from './caller.ts'
import { type Listing, printList } from './listing/listing.ts'
import type { ChangeOption, ListOptions } from './options.ts'
import { action, printResult } from './output.ts'
import { type ItemOf, listed, periodOf } from './remote/lists.ts'

type Text<C extends Contract> = (answer: AnswerOf<C>, argument: string) => Said | string

/** The members of the query that options give. */
export function queryFrom<C extends Contract>({ query }: C, options: object): Input<C>['query'] {
  const given: Readonly<Record<string, QueryValue>> = { ...options, ...periodOf(options) }
  return Object.fromEntries(Object.keys(query?.shape ?? {}).map((name) => [name, given[name]])) as Input<C>['query']
}

/** @param fixed members of the query that no option gives */
export function lists<C extends Contract>(contract: C, listing: Listing<ItemOf<C>>, fixed?: Input<C>['query']) {
  return action(async (options: ListOptions) => {
    const query = { ...queryFrom(contract, options), ...fixed } as Input<C>['query']
    await withCaller(options, (caller) =>
      printList(listed(caller, contract, { limit: options.limit, query }), listing, options),
    )
  })
}

export function shows<C extends Contract>(contract: C, textOf: Text<C>) {
  return action(async (argument: string, options: ChangeOption) => {
    const view = await withCaller(options, ({ ask }) => ask(contract, inputOf(contract, argument, options)))
    await printResult(options, view, textOf(view, argument))
  })
}

/** One change for each argument; it stops at the first error. */
export function changes<C extends Contract>(contract: C, textOf: Text<C>) {
  return action((given: string | readonly string[], options: ChangeOption) =>
    withChanger(options, async ({ ask }) => {
      for (const argument of [given].flat()) {
        const done = await ask(contract, inputOf(contract, argument, options))
        await printResult(options, done, textOf(done, argument))
      }
    }),
  )
}

function inputOf<C extends Contract>(contract: C, argument: string, options: object): Input<C> {
  const segments = Object.fromEntries(Object.keys(contract.segments ?? {}).map((name) => [name, argument]))
  return { segments, query: queryFrom(contract, options) } as Input<C>
}
