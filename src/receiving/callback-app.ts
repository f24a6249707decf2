import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import helmet from 'helmet'
import { institutionOf, type Realm } from '../domain/realm.ts'
import type { CallerRoutes } from '../domain/routes.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { isPast } from '../tls/peer-certificate.ts'
import { type Accepted, answer, type CallbackHandler } from './callback-handler.ts'
import { flawOfRequest, type Reason } from './refusal-reasons.ts'

export interface CallbackAppOptions {
  /** The verified caller of a connection; undefined: not identified, so nothing is read from it. */
  readonly callerOf: (socket: Socket) => Accepted['caller'] | undefined
  readonly matchRoute: CallerRoutes
  readonly handleCallback: CallbackHandler
  readonly onRefused: (request: IncomingMessage, reason: Reason) => void
  /** Whether the institution of a caller tests addresses with a GET. */
  readonly validatesByGet: (environment: Realm) => boolean
  /** An identified caller tested the address of a kind. */
  readonly onValidated: (caller: Accepted['caller'], kind: string) => void
  /** As in CallbackHandlerOptions. */
  readonly instance: string
  readonly log: Log
}

/** The callback route comes before helmet, whose headers mean nothing to the service. */
export function createCallbackApp({
  callerOf,
  matchRoute,
  handleCallback,
  onRefused,
  validatesByGet,
  onValidated,
  instance,
  log,
}: CallbackAppOptions): RequestListener {
  const app = bareApp()
  app.use(function receiveCallback(request, response, next) {
    const caller = admit(request, response)
    if (caller === null) return
    if (answerFlaw(request, response, { instance, onRefused: (reason) => onRefused(request, reason) })) return
    const kind = request.method === 'POST' ? matchRoute(caller.environment, request.url) : null
    if (kind === null) {
      next()
      return
    }
    handleCallback(request, response, { kind, target: request.url, caller })
  })
  app.use(helmet(), methodNotAllowed, unknownPath, unexpected(log))

  /** null: the caller is refused already. A certificate may expire while its connection is open. */
  function admit(request: IncomingMessage, response: ServerResponse): Accepted['caller'] | null {
    const caller = callerOf(request.socket)
    if (caller === undefined) {
      request.socket.destroy()
      return null
    }
    if (!hasExpired(caller)) return caller
    onRefused(request, { code: 'expired' })
    // An answer comes behind those of earlier requests, which a destroyed connection would lose.
    answer(response, 403, 'your certificate has expired: connect again with a valid one', { connection: 'close' })
    return null
  }

  function methodNotAllowed(...[request, response, next]: Parameters<RequestHandler>): void {
    const caller = callerOf(request.socket)
    const kind = caller === undefined ? null : matchRoute(caller.environment, request.url)
    if (caller === undefined || kind === null) {
      next()
      return
    }
    const isGet = request.method === 'GET'
    if (isGet && validatesByGet(caller.environment)) {
      onValidated(caller, kind)
      answer(response, 200, '200')
      return
    }
    const isOfNamed = institutionOf(caller.environment) !== null
    onRefused(request, { code: 'wrong_method', ...(isGet && isOfNamed && { reason: GET_OF_INSTITUTION }) })
    answer(response, 405, 'callbacks are sent by POST', { allow: 'POST' })
  }

  function unknownPath(request: IncomingMessage, response: ServerResponse): void {
    onRefused(request, { code: 'unknown_path' })
    notFound(request, response)
  }

  return withEnd(app, (request, response) => {
    if (admit(request, response) !== null) unknownPath(request, response)
  })
}

const GET_OF_INSTITUTION =
  'callbacks are sent by POST; if this institution tests addresses with a GET, write answer: { validation: get } under it'

export function hasExpired({ peer }: Accepted['caller']): boolean {
  return peer !== null && isPast(peer.notAfter)
}

/** An Express application without what callbacks do not need. */
export function bareApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  return app
}

/** Passes a request to `end` when Express calls no handler, because its target is not a URL (`http://[`). */
export function withEnd(app: Express, end: RequestListener): RequestListener {
  return (request, response) => app(request as Request, response as Response, () => end(request, response))
}

/** Reports and answers a request that HTTP does not allow. @returns whether there was a flaw */
export function answerFlaw(
  request: IncomingMessage,
  response: ServerResponse,
  { instance, onRefused }: { instance: string; onRefused: (reason: Reason) => void },
): boolean {
  const flaw = flawOfRequest(request, instance)
  if (flaw === null) return false
  onRefused(flaw.reason)
  // It is unknown whether a body follows.
  answer(response, flaw.status, flaw.text, { connection: 'close' })
  return true
}

export function notFound(_request: IncomingMessage, response: ServerResponse): void {
  answer(response, 404, 'no callback route here')
}

/** Answers 503 and not 500: the callback is not stored, so the service must send it again. */
export function unexpected(log: Log): ErrorRequestHandler {
  return function answerUnexpected(error: unknown, _request, response, _next) {
    log.error({ error: messageOf(error), stack: error instanceof Error ? error.stack : undefined }, 'callback.failed')
    answer(response, 503, 'not stored, try again later', { 'retry-after': '5' })
  }
}
