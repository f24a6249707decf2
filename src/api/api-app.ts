import express, { type Express } from 'express'
import helmet from 'helmet'
import type { Log } from '../domain/log.ts'
import type { Authentication } from './authentication.ts'
import { type DeliveryActionOptions, deliveryActionRoutes } from './delivery-action-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { type DestinationRoutesOptions, destinationRoutes } from './destination-routes.ts'
import { eventRoutes, sendJson } from './event-routes.ts'
import { answerErrors, sendProblem } from './problem.ts'

export interface ApiOptions extends DestinationRoutesOptions, DeliveryActionOptions {
  readonly authenticate: Authentication
  /** What keeps the gateway from its work; empty when it is ready. */
  readonly whyNotReady: () => readonly string[]
  readonly version: string
  readonly log: Log
}

/** The same handlers on the API listener, on the control socket, and in a command that runs without a gateway. */
export function createApiApp(options: ApiOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use(helmet(), function forbidStoring(_request, response, next) {
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

  app.use('/v1', options.authenticate)
  app.use(
    eventRoutes(options.store),
    deliveryRoutes(options.store),
    deliveryActionRoutes(options),
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
  return app
}
