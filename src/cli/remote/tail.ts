import { PortariaError } from '../../platform/errors.ts'
import type { Page, Tail } from '../listing/listing.ts'
import { tell } from '../output.ts'
import type { RemoteGateway } from './connection.ts'
import type { ListPage } from './lists.ts'

interface Followed {
  readonly path: string
  readonly query: URLSearchParams
  /** Only new items. */
  readonly isFromNow: boolean
}

type Cursor = string | null

/** Between two requests. `held`: the gateway holds each one until something comes. */
const PAUSE_MS = { polling: 1000, held: 100 } as const

/** A list of the API with cursors, for `follow`. It goes on when a gateway that was away answers again. */
export async function remoteTail<T>(
  gateway: RemoteGateway,
  { path, query, isFromNow }: Followed,
): Promise<Omit<Tail<T, Cursor>, 'usual'>> {
  let isAway = false

  async function read(after: Cursor, limit: number, signal?: AbortSignal): Promise<Page<T, Cursor>> {
    const asked = new URLSearchParams(query)
    asked.set('limit', String(limit))
    if (after !== null) asked.set('after', after)
    if (signal === undefined) asked.delete('wait')
    const answer = await gateway.ask({ method: 'GET', target: `${path}?${asked}`, signal })
    const { data, next = after, more = false } = JSON.parse(answer) as ListPage<T>
    return { items: data, next, more }
  }

  /** @throws what ends the command */
  function goOn(after: Cursor, error: unknown): Page<T, Cursor> {
    if (!(error instanceof PortariaError)) throw error
    if (error.code === 'gone' && error.next !== null) {
      tell(error.message)
      return { items: [], next: error.next, more: true }
    }
    if (!PASSING.includes(error.code)) throw error
    if (!isAway) tell(`${error.message}; nothing is missed: it goes on when the gateway answers again`)
    isAway = true
    return { items: [], next: after, more: false }
  }

  return {
    after: isFromNow ? (await read('latest', 1)).next : null,
    waitMs: query.has('wait') ? PAUSE_MS.held : PAUSE_MS.polling,
    async read(after, limit, ended) {
      try {
        const page = await read(after, limit, ended)
        if (isAway) tell(`${gateway.address} answers again`)
        isAway = false
        return page
      } catch (error) {
        return goOn(after, error)
      }
    },
  }
}

const PASSING: readonly PortariaError['code'][] = ['store_unavailable', 'queue_full', 'too_many_requests']
