import type { RequestListener } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import { PortariaError } from '../platform/errors.ts'
import { say } from '../platform/said.ts'
import { flawOfMessage } from '../tls/message-flaw.ts'
import type { BoundedAnswers } from './answers/bounded-answers.ts'
import { accessCheck, callerOf } from './auth/authentication.ts'
import { type Calls, createCalls } from './calls.ts'
import type { Access, Endpoint } from './http/endpoint.ts'
import type { Operation } from './http/operation.ts'
import { answerErrors, logFailure, placeOf, problemOf, sendProblem } from './http/problem.ts'
import { nameRequest, requestIdOf } from './http/request-id.ts'
import { didYouMean, operationRoutes, similarPaths } from './http/routing.ts'
import type { HostCheck } from './listening/host-check.ts'
import { type LoopCheckOptions, refuseLoops } from './listening/loop-check.ts'
import { type OperationOptions, operationsOf } from './operations.ts'
import { requireCertificate } from './service-api/access.ts'
import { CHARGES_BASE } from './service-api/charge-metadata.ts'
import { answerChargesErrors, ChargesApiError } from './service-api/charges-problem.ts'
import { SERVICE_API_BASES } from './service-api/endpoints.ts'
import { answerServiceApiErrors, ServiceApiError } from './service-api/problem.ts'
import { noAddress } from './service-api/sentences.ts'

export interface ApiOptions extends OperationOptions {
  readonly guards: Guards
  /** The pages below /ui, only on the API listener; null, or left out: there are none. */
  readonly pages?: RequestHandler | null
}

/** In front of every endpoint. */
export interface Guards {
  /** null: every Host header is accepted. */
  readonly checkHost: HostCheck | null
  /** Refuses requests that this gateway sent itself; null: none can come. */
  readonly loop: LoopCheckOptions | null
}

/** The operations of the gateway, for one way in. */
export interface Api {
  /** Over HTTP: on the API listener or on the control socket. */
  readonly serve: RequestListener
  /** Inside the process. */
  readonly calls: Calls
  /** For answers of other handlers on the same listener, such as the pages. */
  readonly accountOf: BoundedAnswers['accountOf']
}

export function createApiApp(options: ApiOptions): Api {
  const operations = operationsOf(options)
  const { answers, log } = options
  const calls = createCalls(operations, { scopeNames: options.identity.scopeNames, answers, log })
  const app = createRoutes(options, operations)

  /** Express skips every layer for a target that is not a URL, such as `http://[`, and would answer with an HTML page. */
  function answerUnreadable(request: Request, response: Response): void {
    const detail = 'the request target cannot be read: use a path, such as /v1/events'
    prepareAnswer(request, response, () => sendProblem(response, { status: 400, code: 'request_invalid', detail }))
  }

  /** An error that its group's handler passed on, because a part of the answer was sent, or that the handler met itself. The reader must see that the answer is not whole. */
  function breakOff(request: Request, response: Response, error: unknown): void {
    logFailure(log, placeOf(request), error)
    if (response.headersSent) response.destroy()
    else sendProblem(response, problemOf(error, requestIdOf(request)))
  }

  const serve: RequestListener = function answerRequest(request, response) {
    const [expressRequest, expressResponse] = [request as Request, response as Response]
    app(expressRequest, expressResponse, (error?: unknown) => {
      const hasFailed = error !== undefined && error !== null
      if (hasFailed) breakOff(expressRequest, expressResponse, error)
      else answerUnreadable(expressRequest, expressResponse)
    })
  }
  return { serve, calls, accountOf: answers.accountOf }
}

const secure = helmet()
const PLACES = ': endpoints are below /v1, and /openapi.json describes them'

/** Headers of every answer. */
const prepareAnswer: RequestHandler = function prepareAnswer(request, response, next) {
  nameRequest(request, response)
  response.setHeader('cache-control', 'no-store')
  secure(request, response, next)
}

const requireWellFormed: RequestHandler = function requireWellFormed(request, _response, next) {
  const flaw = flawOfMessage(request)
  if (flaw === null) return next()
  throw new PortariaError('request_invalid', say`this is not a valid HTTP request: ${{ flaw }}`)
}

/** A browser that was given only host and port. */
const leadToPages: RequestHandler = function leadToPages(request, response, next) {
  // The first one for those that accept anything, such as curl.
  if (request.accepts(['json', 'html']) === 'html') response.redirect(303, '/ui/')
  else next()
}

/**
 * Serves the endpoints in four groups: public ones, the service's own API of Document 1 and of Document 2, and all others behind the authentication.
 * A path without an endpoint is 404 for every authenticated caller.
 */
export function createRoutes(options: ApiOptions, operations: readonly Operation[]): Express {
  const { log, guards } = options
  const { authenticate, scopeNames, needsCertificate } = options.identity
  const isPublic = ({ access }: Endpoint) => access === 'public'
  const behind = (group: 'service' | 'charges' | 'others') =>
    operations.filter((one) => !isPublic(one) && groupOf(one) === group)
  const { takeTurn } = options.answers
  const checkAccess = (access: Access) => accessCheck(access, scopeNames)
  const principalOf = (request: Request) => callerOf(request).principal
  const routesOf = (group: readonly Operation[]) => operationRoutes(group, { checkAccess, takeTurn, principalOf })

  const paths = operations.map(({ path }) => path)

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  options.answers.watch(app)
  app.use(
    prepareAnswer,
    requireWellFormed,
    ...(guards.checkHost === null ? [] : [guards.checkHost]),
    ...(guards.loop === null ? [] : [refuseLoops(guards.loop)]),
  )
  if (options.pages) app.get('/', leadToPages).use('/ui', options.pages)
  app.use(routesOf(operations.filter(isPublic)))
  app.use(SERVICE_API_BASES, authenticate, ...(needsCertificate ? [requireCertificate] : []))
  app.use(routesOf(behind('service')))
  app.use(SERVICE_API_BASES, function notFound({ originalUrl }) {
    const [path = ''] = originalUrl.split('?')
    throw new ServiceApiError(404, noAddress(similarPaths(path, paths)))
  })
  app.use(SERVICE_API_BASES, answerServiceApiErrors(log))
  app.use(CHARGES_BASE, authenticate)
  app.use(routesOf(behind('charges')))
  app.use(CHARGES_BASE, function notFound({ method, originalUrl }) {
    const [path = ''] = originalUrl.split('?')
    throw new ChargesApiError(404, `there is no endpoint for ${method} at this path${didYouMean(path, paths)}`)
  })
  app.use(CHARGES_BASE, answerChargesErrors(log))
  app.use(['/v1', '/metrics'], authenticate)
  app.use(routesOf(behind('others')))
  app.use(function notFound(request, response) {
    sendProblem(response, {
      status: 404,
      code: 'not_found',
      detail: `there is no endpoint at ${request.method} ${request.path.slice(0, 200)}${request.path === '/' ? PLACES : didYouMean(request.path, paths)}`,
    })
  })
  app.use(answerErrors(log))
  return app
}

function groupOf({ errors }: Endpoint): 'service' | 'charges' | 'others' {
  return errors === 'service' || errors === 'charges' ? errors : 'others'
}
