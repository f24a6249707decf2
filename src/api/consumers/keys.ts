import { type ConsumerKey, problemOfConsumerName } from '../../domain/consumer.ts'
import { PortariaError } from '../../platform/errors.ts'
import { ownerOf, restrictedClient } from '../auth/store-scope.ts'
import { type Call, segmentOf } from '../http/endpoint.ts'

const OPERATOR = 'operator'

/** The principal's own consumer, which need not exist. @throws PortariaError `request_invalid` for an invalid name */
export function ownConsumerKey(call: Call): ConsumerKey {
  const name = segmentOf(call, 'name')
  const problem = problemOfConsumerName(name)
  if (problem !== null) throw new PortariaError('request_invalid', `the name of a consumer ${problem}`)
  return { owner: ownerOf(call), name }
}

/** The consumer that the path and `owner` name. @throws PortariaError `not_found` for one that the principal may not see */
export function namedConsumerKey(call: Call<{ readonly owner?: string | undefined }>): ConsumerKey {
  const { owner } = call.query
  if (owner === undefined) return ownConsumerKey(call)
  const key = { owner: owner === OPERATOR ? null : owner, name: segmentOf(call, 'name') }
  if (restrictedClient(call) !== null && key.owner !== ownerOf(call)) throw consumerNotFound(key.name)
  return key
}

export function consumerNotFound(name: string): PortariaError {
  return new PortariaError('not_found', `there is no consumer ${name.slice(0, 64)}`)
}

/** The name under which requests that wait for this consumer are registered. */
export function pollNameOf({ owner, name }: ConsumerKey): string {
  return JSON.stringify(['consumer', owner, name])
}
