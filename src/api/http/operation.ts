import type { Call, Endpoint, Reply } from './endpoint.ts'
import { checkQuery } from './query.ts'

/** An endpoint that is served, and checks its calls. */
export interface Operation extends Endpoint {
  /** Unique: generated clients name their function after it. */
  readonly id: string
  /** @param call with query and body as they were sent. @throws what the checks and the endpoint throw */
  readonly perform: (call: Call) => Reply | Promise<Reply>
}

/** Checks query and body by their schemas. */
export function checkedOperation(id: string, endpoint: Endpoint): Operation {
  const { query, body, checkQuery: check = checkQuery as NonNullable<Endpoint['checkQuery']>, run } = endpoint
  return {
    ...endpoint,
    id,
    // Not async: one event answers thousands of waiting calls, and each async function costs each of them a promise.
    perform(call) {
      const checked = {
        ...call,
        query: query === undefined ? {} : check(query, call.query),
        body: body?.check(call.body),
      }
      return run(checked as Call<never, never>)
    },
  }
}

/** Whether a call waits for one of the turns of its client. */
export function takesTurn({ method, access, takesTurn = method === 'get' }: Operation): boolean {
  return takesTurn && access !== 'public'
}
