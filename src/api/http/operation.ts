import type { Call, Endpoint, Reply } from './endpoint.ts'
import { checkQuery } from './query.ts'

/** An endpoint that checks its calls. */
export interface Operation extends Endpoint {
  /** @param call with query and body as they were sent. @throws what the checks and the endpoint throw */
  readonly perform: (call: Call) => Promise<Reply>
}

/** Checks query and body by their schemas. */
export function checkedOperation(endpoint: Endpoint): Operation {
  const { query, body, checkQuery: check = checkQuery as NonNullable<Endpoint['checkQuery']>, run } = endpoint
  return {
    ...endpoint,
    async perform(call) {
      const checked = {
        ...call,
        query: query === undefined ? {} : check(query, call.query),
        body: body?.check(call.body),
      }
      return run(checked as Call<never, never>)
    },
  }
}
