import type { Request } from 'express'
import { type ConsumerKey, problemOfConsumerName } from '../../domain/consumer.ts'
import { PortariaError } from '../../platform/errors.ts'
import { callerOf } from '../auth/authentication.ts'
import { ownerOf, restrictedClient } from '../auth/store-scope.ts'
import { segmentOf } from '../http/endpoint.ts'
import { readQuery } from '../http/query.ts'
import { consumerQuerySchema } from './schema.ts'

const OPERATOR = 'operator'

/** The principal's own consumer, which need not exist. @throws PortariaError `request_invalid` for an invalid name */
export function ownConsumerKey(request: Request): ConsumerKey {
  const name = segmentOf(request, 'name')
  const problem = problemOfConsumerName(name)
  if (problem !== null) throw new PortariaError('request_invalid', `the name of a consumer ${problem}`)
  return { owner: ownerOf(callerOf(request)), name }
}

/** The consumer that the path and `owner` name. @throws PortariaError `not_found` for one that the principal may not see */
export function namedConsumerKey(request: Request): ConsumerKey {
  const { owner } = readQuery(request.url, consumerQuerySchema)
  if (owner === undefined) return ownConsumerKey(request)
  const key = { owner: owner === OPERATOR ? null : owner, name: segmentOf(request, 'name') }
  if (restrictedClient(callerOf(request)) !== null && key.owner !== ownerOf(callerOf(request)))
    throw consumerNotFound(key.name)
  return key
}

export function consumerNotFound(name: string): PortariaError {
  return new PortariaError('not_found', `there is no consumer ${name.slice(0, 64)}`)
}

/** The name under which requests that wait for this consumer are registered. */
export function pollNameOf({ owner, name }: ConsumerKey): string {
  return JSON.stringify(['consumer', owner, name])
}
