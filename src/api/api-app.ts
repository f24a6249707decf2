import type { RequestListener } from 'node:http'
import express, { type Request, type Response } from 'express'
import helmet from 'helmet'
import { PortariaError } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { ScopeNames } from '../domain/scopes.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Authentication } from './authentication.ts'
import { type CertificateRoutesOptions, certificateRoutes } from './certificate-routes.ts'
import type { ClientRegistry } from './client-registry.ts'
import { clientRoutes } from './client-routes.ts'
import { requireCertificate } from './contract-access.ts'
import { type DeliveryActionOptions, deliveryActionRoutes } from './delivery-action-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { type DestinationRoutesOptions, destinationRoutes } from './destination-routes.ts'
import { eventRoutes, sendJson } from './event-routes.ts'
import { answerErrors, sendProblem } from './problem.ts'
import { refusalRoutes } from './refusal-routes.ts'
import { scopeChecks } from './scope-rules.ts'
import { restrictedClient, storeViews } from './store-view.ts'
import { tokenRoutes } from './token-routes.ts'

export interface ApiOptions extends DestinationRoutesOptions, DeliveryActionOptions, CertificateRoutesOptions {
  readonly authenticate: Authentication
  readonly clients: ClientRegistry
  readonly tokens: AccessTokens
  readonly scopeNames: ScopeNames
  /** The service's own contract (/registration, /payment) is only for those who show a client certificate. */
  readonly needsCertificate: boolean
  /** What keeps the gateway from its work; empty when it is ready. */
  readonly whyNotReady: () => readonly string[]
  readonly version: string
  /** What runs here and whose database it is, for commands; null: nobody is told. */
  readonly about: object | null
  /** Reads certificates and chains anew; null: there is nothing to renew, or it is not asked for here. */
  readonly reload: (() => Promise<{ renewed: readonly string[]; problems: readonly string[] }>) | null
  readonly log: Log
}

/** The same handlers on the API listener, on the control socket, and in a command that runs without a gateway. */
export function createApiApp(options: ApiOptions): RequestListener {
  const app = express()
  const secure = helmet()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use(secure, function forbidStoring(_request, response, next) {
    response.setHeader('cache-control', 'no-store')
    next()
  })

  app.get('/healthz', function alive(_request, response) {
    sendJson(response, JSON.stringify({ status: 'alive', version: options.version }))
  })
  app.get('/readyz', function ready(_request, response) {
    const reasons = options.whyNotReady()
    response.status(reasons.length === 0 ? 200 : 503)
    sendJson(response, JSON.stringify({ status: reasons.length === 0 ? 'ready' : 'not ready', reasons }))
  })

  app.use(tokenRoutes({ ...options, findClient: options.clients.find }))
  app.use(
    ['/registration', '/payment'],
    options.authenticate,
    ...(options.needsCertificate ? [requireCertificate] : []),
  )
  app.use('/v1', options.authenticate)
  app.use(scopeChecks(options.scopeNames))
  if (options.about !== null) {
    app.get('/v1/gateway', function showGateway(_request, response) {
      sendJson(response, JSON.stringify(options.about))
    })
  }
  const { reload } = options
  if (reload !== null) {
    app.post('/v1/gateway/reload', async function reloadGateway(_request, response) {
      const { renewed, problems } = await reload()
      if (problems.length > 0) {
        throw new PortariaError('certificate_invalid', 'not everything could be taken up', { details: problems })
      }
      sendJson(response, JSON.stringify({ renewed }))
    })
  }
  const storeFor = storeViews(options.store)
  app.all(['/v1/destinations', '/v1/destinations/*rest'], function answerOwner(request, response, next) {
    if (restrictedClient(request) === null) next()
    else destinationRoutes({ ...options, store: storeFor(request) })(request, response, next)
  })
  app.use(
    clientRoutes(options),
    eventRoutes(storeFor),
    refusalRoutes(options.store),
    certificateRoutes(options),
    deliveryRoutes(options.store),
    deliveryActionRoutes({ ...options, storeFor }),
    destinationRoutes(options),
  )
  app.use(function notFound(request, response) {
    sendProblem(response, {
      status: 404,
      code: 'not_found',
      detail: `nothing answers ${request.method} ${request.path.slice(0, 200)} here`,
    })
  })
  app.use(answerErrors(options.log))

  /** A target that is no URL, such as `http://[`, passes every layer by; Express alone would answer it with a page of its own. */
  function answerUnreadable(request: Request, response: Response): void {
    const detail = 'the request target cannot be read: ask for a path, such as /v1/events'
    secure(request, response, () => sendProblem(response, { status: 400, code: 'request_invalid', detail }))
  }
  return function answerRequest(request, response) {
    const [asked, answer] = [request as Request, response as Response]
    app(asked, answer, () => answerUnreadable(asked, answer))
  }
}
