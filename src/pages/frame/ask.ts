import type { RequestListener } from 'node:http'
import inject from 'light-my-request'
import type { ApiAnswer, Ask } from './page.ts'
import { GatewayFailed, SessionEnded } from './refusals.ts'

/** The request of the browser that a page answers. */
export interface Asker {
  /** Bearer token of the session. */
  readonly token: string
  readonly host: string | undefined
  readonly address: string
  readonly requestId: string
}

/** @throws SessionEnded, GatewayFailed */
export function createAsk(api: RequestListener, { token, host, address, requestId }: Asker): Ask {
  const dispatch: RequestListener = (request, response) => {
    // Express changes the prototype of the response, which has the methods that collect it.
    Object.assign(response, Object.getPrototypeOf(response))
    api(request, response)
  }
  return async function ask({ method = 'GET', path, body }) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await inject(dispatch, {
      ...{ method, url: path, remoteAddress: address },
      headers: {
        authorization: `Bearer ${token}`,
        'x-request-id': requestId,
        ...(host !== undefined && { host }),
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    const read: ApiAnswer = { status: answer.statusCode, text: answer.payload, json: jsonIn(answer.payload) }
    if (read.status === 401) throw new SessionEnded('the API does not accept the token')
    if (read.status >= 500) throw new GatewayFailed(read)
    return read
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not every answer is JSON.
    return null
  }
}
