/** An id from the caller is kept if it is short and plain, so that a proxy's log and ours name the same request. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { newNonce } from '../../domain/public-id.ts'

export const REQUEST_ID = 'x-request-id'

const ids = new WeakMap<IncomingMessage, string>()

/** Sets the request id: the caller's own if it is short and plain, so that logs of proxies can be joined with the gateway's; else a new one. */
export function nameRequest(request: IncomingMessage, response: ServerResponse): void {
  const brought = request.headers[REQUEST_ID]
  const id = typeof brought === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(brought) ? brought : newRequestId()
  ids.set(request, id)
  response.setHeader(REQUEST_ID, id)
}

export function newRequestId(): string {
  return `req_${newNonce()}`
}

/** @throws Error before `nameRequest` */
export function requestIdOf(request: IncomingMessage): string {
  const id = ids.get(request)
  if (id === undefined) throw new Error('the request has no id')
  return id
}
