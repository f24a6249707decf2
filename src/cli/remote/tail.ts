import type { Contract } from '../../api/http/contract.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { Caller, Input } from '../asking.ts'
import type { Page, Tail } from '../listing/listing.ts'
import { printHint, tell } from '../output.ts'
import type { ItemOf, ListPage } from './lists.ts'

interface Followed<C extends Contract> {
  readonly query: Input<C>['query']
  /** Only new items. */
  readonly isFromNow: boolean
}

type Cursor = string | null

/** Between two requests. `held`: the gateway holds each one until something comes. */
const PAUSE_MS = { here: 300, polling: 1000, held: 100 } as const

/** A list with cursors, for `follow`. It goes on when a gateway of another machine that was away answers again. */
export async function tailOf<C extends Contract>(
  caller: Caller,
  contract: C,
  { query, isFromNow }: Followed<C>,
): Promise<Omit<Tail<ItemOf<C>, Cursor>, 'usual'>> {
  const isHeld = query !== undefined && 'wait' in query
  let isAway = false

  async function read(after: Cursor, limit: number, signal?: AbortSignal): Promise<Page<ItemOf<C>, Cursor>> {
    const asked = { ...query, limit, after: after ?? undefined, ...(isHeld && signal === undefined && { wait: 0 }) }
    const answer = await caller.bytes(contract, { query: asked as NonNullable<Input<C>['query']> }, signal)
    const { data, next = after, more = false, hint = null } = JSON.parse(answer.toString()) as ListPage<ItemOf<C>>
    if (signal === undefined) printHint(hint)
    return { items: data, next, more }
  }

  /** @throws what ends the command */
  function goOn(after: Cursor, error: unknown): Page<ItemOf<C>, Cursor> {
    if (!(error instanceof PortariaError)) throw error
    if (error.code === 'gone' && error.next !== null) {
      tell(error.message)
      return { items: [], next: error.next, more: true }
    }
    if (caller.address === null || !PASSING.includes(error.code)) throw error
    if (!isAway) tell(say`${{ message: error.message }}; nothing is missed: it goes on when the gateway answers again`)
    isAway = true
    return { items: [], next: after, more: false }
  }

  return {
    after: isFromNow ? (await read('latest', 1)).next : null,
    waitMs: caller.address === null ? PAUSE_MS.here : isHeld ? PAUSE_MS.held : PAUSE_MS.polling,
    async read(after, limit, ended) {
      try {
        const page = await read(after, limit, ended)
        if (isAway) tell(say`${{ address: caller.address ?? '' }} answers again`)
        isAway = false
        return page
      } catch (error) {
        return goOn(after, error)
      }
    },
  }
}

const PASSING: readonly PortariaError['code'][] = ['store_unavailable', 'queue_full', 'too_many_requests']
