import type { ErrorRequestHandler, Request, Response } from 'express'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Context } from './context.ts'
import { sessionIdOf } from './cookies.ts'
import { errorPage, FrameError, faultPage } from './error-pages.ts'
import { requestIdOf } from './http.ts'
import { GatewayFailed, SessionEnded } from './refusals.ts'
import { refererPath, START } from './return-path.ts'
import type { Sessions } from './sessions.ts'

const FAULT = 'report this fault with the stack: the page is shown again after a reload'

/** Every error becomes a page that says what to do, and leads back. Faults of the program are logged. */
export function answerErrors(context: Context, sessions: Sessions, log: Log): ErrorRequestHandler {
  async function endSession(request: Request): Promise<void> {
    const id = sessionIdOf(request)
    if (id !== null) await sessions.end(id)
  }

  /** The browser must see that the answer is not whole. */
  async function breakOff(error: unknown, request: Request, response: Response): Promise<void> {
    response.destroy()
    if (error instanceof SessionEnded) return endSession(request)
    const requestId = requestIdOf(response)
    if (error instanceof GatewayFailed) {
      const { method, baseUrl, path } = request
      log.warn({ requestId, method, path: baseUrl + path, error: messageOf(error) }, 'answer.broken')
    } else logFault(log, request, error, requestId)
  }

  return async function answerError(error: unknown, request, response, _next) {
    if (response.headersSent) return breakOff(error, request, response)
    const isForm = request.method === 'POST'
    if (error instanceof SessionEnded) {
      await endSession(request)
      const from = isForm ? refererPath(request.headers) : request.originalUrl
      return context.leadToSignIn(request, response, from, isForm ? 'lost' : undefined)
    }
    // The database may be away, which is the error.
    const session = await context.sessionOf(request, false).catch(() => null)
    const { t } = context.frameOf(request, session)
    const at = { back: isForm ? refererPath(request.headers) : START, requestId: requestIdOf(response) }
    const page = errorPage(error, t, at) ?? errorPage(frameErrorOf(error), t, at)
    if (page === null) logFault(log, request, error, at.requestId)
    context.send(request, response, session, page ?? faultPage(t, at))
  }
}

/** Libraries set a status below 500 on errors that the browser caused. null: it is another error. */
function frameErrorOf(error: unknown): FrameError | null {
  const status = error instanceof Error && 'status' in error ? error.status : null
  if (typeof status !== 'number' || status < 400 || status >= 500) return null
  return new FrameError(status, status === 413 ? 'tooLarge' : 'unreadable')
}

function logFault(log: Log, { method, baseUrl, path }: Request, error: unknown, requestId: string): void {
  const stack = error instanceof Error ? error.stack : undefined
  log.error({ requestId, method, path: baseUrl + path, error: messageOf(error), stack, hint: FAULT }, 'page.failed')
}
