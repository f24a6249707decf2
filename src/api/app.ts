import type { RequestListener } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import type { ScopeNames } from '../domain/scopes.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { flawOfMessage } from '../tls/message-flaw.ts'
import type { AccessTokens } from './auth/access-tokens.ts'
import type { Authentication } from './auth/authentication.ts'
import { scopeChecks } from './auth/scope-rules.ts'
import { storeViews } from './auth/store-scope.ts'
import { tokenRoutes } from './auth/token-routes.ts'
import { type CertificateRoutesOptions, certificateRoutes } from './certificates/certificate-routes.ts'
import { type ClientChainOptions, clientChainRoutes } from './certificates/client-chain-routes.ts'
import { clientRoutes } from './clients/client-routes.ts'
import type { ClientRegistry } from './clients/registry.ts'
import { consumerRoutes } from './consumers/consumer-routes.ts'
import { type DeliveryActionOptions, deliveryActionRoutes } from './deliveries/delivery-action-routes.ts'
import { deliveryRoutes } from './deliveries/delivery-routes.ts'
import { type DestinationRoutesOptions, destinationRoutes } from './destinations/destination-routes.ts'
import { eventRoutes, type PollingOptions } from './events/event-routes.ts'
import {
  documentRoute,
  type GatewayRoutesOptions,
  gatewayRoutes,
  type HealthRoutesOptions,
  healthRoutes,
} from './gateway/gateway-routes.ts'
import { type MetricsRoutesOptions, metricsRoutes } from './gateway/metrics-routes.ts'
import type { HostCheck } from './http/host-check.ts'
import { methodChecks } from './http/method-checks.ts'
import { type OwnRequestOptions, refuseOwnRequests } from './http/own-requests.ts'
import { answerErrors, sendProblem } from './http/problem.ts'
import { nameRequest } from './http/request-id.ts'
import { openApiDocument } from './openapi/openapi.ts'
import { operationsOf } from './operations.ts'
import { type QuarantineRoutesOptions, quarantineRoutes } from './quarantine/quarantine-routes.ts'
import { refusalRoutes } from './refusals/refusal-routes.ts'
import { type ReplayRoutesOptions, replayRoutes } from './replays/replay-routes.ts'
import { type RetentionRoutesOptions, retentionRoutes } from './retention/retention-routes.ts'
import { answerServiceApiErrors } from './service-api/problem.ts'
import { SERVICE_API_BASES, serviceApiRoutes } from './service-api/service-api-routes.ts'

export interface ApiOptions
  extends DestinationRoutesOptions,
    DeliveryActionOptions,
    CertificateRoutesOptions,
    ClientChainOptions,
    HealthRoutesOptions,
    GatewayRoutesOptions,
    MetricsRoutesOptions,
    PollingOptions,
    ReplayRoutesOptions,
    RetentionRoutesOptions,
    QuarantineRoutesOptions {
  /** In front of everything else; null: every Host header will do. */
  readonly checkHost: HostCheck | null
  readonly authenticate: Authentication
  readonly clients: ClientRegistry
  readonly tokens: AccessTokens
  readonly scopeNames: ScopeNames
  /** The service's own contract (/registration, /payment) is only for those who show a client certificate. */
  readonly needsCertificate: boolean
  /** Requests that this gateway has sent itself are refused; null: none can come. */
  readonly loop: OwnRequestOptions | null
  readonly log: Log
}

/** The same handlers on the API listener, on the control socket, and in a command that runs without a gateway. */
export function createApiApp(options: ApiOptions): RequestListener {
  const app = createRoutes(options)

  /** A target that is no URL, such as `http://[`, passes every layer by; Express alone would answer it with a page of its own. */
  function answerUnreadable(request: Request, response: Response): void {
    const detail = 'the request target cannot be read: ask for a path, such as /v1/events'
    prepareAnswer(request, response, () => sendProblem(response, { status: 400, code: 'request_invalid', detail }))
  }
  return function answerRequest(request, response) {
    const [asked, answer] = [request as Request, response as Response]
    app(asked, answer, () => answerUnreadable(asked, answer))
  }
}

const secure = helmet()

/** What every answer has, whatever comes of it. */
const prepareAnswer: RequestHandler = function prepareAnswer(request, response, next) {
  nameRequest(request, response)
  response.setHeader('cache-control', 'no-store')
  secure(request, response, next)
}

const requireWellFormed: RequestHandler = function requireWellFormed(request, _response, next) {
  const flaw = flawOfMessage(request)
  if (flaw === null) return next()
  throw new PortariaError('request_invalid', `this is no valid HTTP request: ${flaw}`)
}

/** Every route, and what stands in front of it. */
export function createRoutes(options: ApiOptions): Express {
  const operations = operationsOf(options)
  const own = operations.filter(({ access }) => access === 'scopes')
  const open = operations.filter(({ access }) => access === 'public')
  const storeFor = storeViews(options.store)

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use(
    prepareAnswer,
    requireWellFormed,
    ...(options.checkHost === null ? [] : [options.checkHost]),
    ...(options.loop === null ? [] : [refuseOwnRequests(options.loop)]),
    methodChecks(open),
    healthRoutes(options),
    documentRoute(() => openApiDocument({ ...options, operations })),
    clientChainRoutes(options),
    ...(options.metrics?.isOpen === true ? [metricsRoutes(options)] : []),
    tokenRoutes({ ...options, findClient: options.clients.find }),
    serviceApiRoutes(options),
  )
  app.use(SERVICE_API_BASES, answerServiceApiErrors(options.log))
  app.use(['/v1', '/metrics'], options.authenticate)
  app.use(
    methodChecks(own),
    scopeChecks(options.scopeNames),
    gatewayRoutes(options),
    ...(options.metrics?.isOpen === false ? [metricsRoutes(options)] : []),
    clientRoutes(options),
    eventRoutes({ ...options, storeFor }),
    consumerRoutes(options),
    replayRoutes({ ...options, storeFor }),
    refusalRoutes(options.store),
    quarantineRoutes(options),
    certificateRoutes(options),
    deliveryRoutes(options.store),
    deliveryActionRoutes({ ...options, storeFor }),
    retentionRoutes(options),
    destinationRoutes({ ...options, storeFor }),
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
