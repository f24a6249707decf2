import type { AnswerOf, Contract } from '../../api/http/contract.ts'
import type { Asker, Input } from '../asking.ts'
import { printHint } from '../output.ts'

/** A page of a list of the API. */
export interface ListPage<T> {
  readonly data: readonly T[]
  readonly next?: string | null
  readonly more?: boolean
  /** Why it may be empty. */
  readonly hint?: string
}

const PAGE = 500
/** Of a list without cursors. */
const WHOLE = 1000

/** Times of options, in ms since 1970, as the API takes them. */
export function periodOf({ from, to }: { readonly from?: number; readonly to?: number }) {
  const timeOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
  return { from: timeOf(from), to: timeOf(to) }
}

export type ItemOf<C extends Contract> = AnswerOf<C> extends { readonly data: readonly (infer Item)[] } ? Item : never

/** At most `limit` items of a list, page by page. Prints the hint of an empty list. */
export async function* listed<C extends Contract>(
  caller: Asker,
  contract: C,
  { limit, query }: { readonly limit: number; readonly query?: Input<C>['query'] },
): AsyncGenerator<ItemOf<C>> {
  const most = contract.query !== undefined && 'after' in contract.query.shape ? PAGE : WHOLE
  let left = limit
  let after: string | undefined
  while (left > 0) {
    const asked = { ...query, limit: Math.min(left, most), after } as NonNullable<Input<C>['query']>
    const answer: unknown = await caller.ask(contract, { query: asked })
    const { data, next = null, more = false, hint = null } = answer as ListPage<ItemOf<C>>
    yield* data
    if (left === limit && data.length === 0) printHint(hint)
    left -= data.length
    if (!more || next === null) return
    after = next
  }
}

/** The same in one array. */
export async function allListed<C extends Contract>(...asked: Parameters<typeof listed<C>>): Promise<ItemOf<C>[]> {
  const all: ItemOf<C>[] = []
  for await (const item of listed(...asked)) all.push(item)
  return all
}

/** Such as `sandbox` and `bank-a/sandbox`; null: unknown. */
export function realmText({
  institution,
  environment,
}: {
  institution: string | null
  environment: string | null
}): string | null {
  return institution === null || environment === null ? environment : `${institution}/${environment}`
}
