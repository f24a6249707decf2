import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { messageOf } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import type { RouteMatcher } from '../domain/routes.ts'
import { type Accepted, answer, type Intake } from './intake.ts'

export interface CallbackAppOptions {
  /** The verified caller of a connection; undefined: it was never identified, and nothing of it is read. */
  readonly callerOf: (socket: Socket) => Accepted['caller'] | undefined
  readonly matchRoute: RouteMatcher
  readonly intake: Intake
  readonly onRefused: (request: IncomingMessage, code: RefusalCode) => void
  readonly log: Log
}

/** The callback route first and alone: helmet's headers mean nothing to a machine that wants its 200. */
export function createCallbackApp({ callerOf, matchRoute, intake, onRefused, log }: CallbackAppOptions): Express {
  const app = bareApp()
  app.use(function receiveCallback(request, response, next) {
    const caller = callerOf(request.socket)
    if (caller === undefined) {
      request.socket.destroy()
      return
    }
    const kind = request.method === 'POST' ? matchRoute(request.url) : null
    if (kind === null) {
      next()
      return
    }
    intake(request, response, { kind, target: request.url, caller })
  })
  app.use(helmet(), methodNotAllowed, unknownPath, unexpected(log))

  function methodNotAllowed(...[request, response, next]: Parameters<RequestHandler>): void {
    if (matchRoute(request.url) === null) {
      next()
      return
    }
    onRefused(request, 'wrong_method')
    answer(response, 405, 'callbacks are sent by POST', { allow: 'POST' })
  }

  function unknownPath(...[request, response, next]: Parameters<RequestHandler>): void {
    onRefused(request, 'unknown_path')
    notFound(request, response, next)
  }
  return app
}

export function bareApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  return app
}

export const notFound: RequestHandler = function notFound(_request, response) {
  answer(response, 404, 'no callback route here')
}

/** Never a 500: what the caller sent is not stored, so it shall come again. */
export function unexpected(log: Log): ErrorRequestHandler {
  return function answerUnexpected(error: unknown, _request, response, _next) {
    log.error({ error: messageOf(error), stack: error instanceof Error ? error.stack : undefined }, 'callback.failed')
    answer(response, 503, 'not stored, try again later', { 'retry-after': '5' })
  }
}
