import type { RequestListener } from 'node:http'
import type { Request, RequestHandler } from 'express'
import type { Session } from './sessions.ts'

/**
 * Answers GET requests below /ui/api with the API's own handlers and the session's rights, for the modules of the pages. Never another method:
 * everything that changes something is a form. An answer that is still being sent ends with the session.
 */
export function passThrough({
  api,
  findSession,
  isFromOtherSite,
}: {
  readonly api: RequestListener
  readonly findSession: (request: Request) => Promise<Session | null>
  readonly isFromOtherSite: (request: Request) => boolean
}): RequestHandler {
  return async function pass(request, response) {
    const problem = (status: number, code: string, detail: string) =>
      void response
        .status(status)
        .type('application/problem+json')
        .send(JSON.stringify({ type: 'about:blank', status, code, detail }))
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return problem(
        405,
        'method_not_allowed',
        `${request.method} is not allowed below /ui/api: use the API itself, or a form`,
      )
    }
    if (!request.url.startsWith('/v1/')) return problem(404, 'not_found', 'only /ui/api/v1/… is passed on')
    // It starts a process.
    if (/^\/v1\/check(?!\?latest=true$)/.test(request.url))
      return problem(403, 'forbidden', 'a check is run by the form at /ui/check')
    if (isFromOtherSite(request)) return problem(403, 'forbidden', 'pages of another site may not read this')
    const session = await findSession(request)
    if (session === null) return problem(401, 'unauthorized', 'the session has ended: sign in again')
    const cut = () => response.destroy()
    session.ended.addEventListener('abort', cut, { once: true })
    response.once('close', () => session.ended.removeEventListener('abort', cut))
    request.headers.authorization = `Bearer ${session.person.token}`
    delete request.headers.cookie
    Object.assign(request, { originalUrl: request.url, baseUrl: '' })
    api(request, response)
  }
}
