import type { RequestListener } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import type { ActionChannel } from '../domain/actions/action.ts'
import type { EventMask } from '../domain/masking/event-mask.ts'
import type { ScopeNames } from '../domain/scopes.ts'
import type { SearchIndex } from '../domain/search/search-index.ts'
import type { ChargesService } from '../domain/service/charges-service.ts'
import type { Store } from '../domain/store.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { flawOfMessage } from '../tls/message-flaw.ts'
import type { BoundedAnswers } from './answers/bounded-answers.ts'
import { auditEndpoints } from './audit/endpoints.ts'
import { recorded } from './audit/recording.ts'
import type { AccessTokens } from './auth/access-tokens.ts'
import { type Authentication, accessCheck, callerOf } from './auth/authentication.ts'
import { storeViews } from './auth/store-scope.ts'
import { type CertificateOptions, certificateEndpoints, clientChainEndpoint } from './certificates/endpoints.ts'
import type { CheckRuns } from './check/check-runs.ts'
import { checkEndpoints } from './check/endpoints.ts'
import { clientEndpoints } from './clients/endpoints.ts'
import type { ClientRegistry } from './clients/registry.ts'
import { consumerEndpoints } from './consumers/endpoints.ts'
import { type DeliveryEndpointsOptions, deliveryEndpoints } from './deliveries/endpoints.ts'
import { type DestinationOptions, destinationEndpoints } from './destinations/endpoints.ts'
import { eventEndpoints, type PollingOptions } from './events/endpoints.ts'
import { shareReads } from './events/shared-reads.ts'
import {
  controlEndpoints,
  documentEndpoint,
  type GatewayOptions,
  healthEndpoints,
  metricsEndpoints,
} from './gateway/endpoints.ts'
import type { Access, Endpoint } from './http/endpoint.ts'
import { createTraitsMemory } from './http/filter-hint.ts'
import { checkedOperation, type Operation } from './http/operation.ts'
import { answerErrors, sendProblem } from './http/problem.ts'
import { nameRequest } from './http/request-id.ts'
import { didYouMean, operationRoutes, similarPaths } from './http/routing.ts'
import type { HostCheck } from './listening/host-check.ts'
import { type LoopCheckOptions, refuseLoops } from './listening/loop-check.ts'
import { openApiDocument } from './openapi/openapi.ts'
import { type OverviewSource, overviewEndpoints } from './overview/endpoints.ts'
import { type QuarantineEndpointsOptions, quarantineEndpoints } from './quarantine/endpoints.ts'
import { refusalEndpoints } from './refusals/endpoints.ts'
import { type ReplayEndpointsOptions, replayEndpoints } from './replays/endpoints.ts'
import { type RetentionEndpointsOptions, retentionEndpoints } from './retention/endpoints.ts'
import { searchEndpoints } from './search/endpoints.ts'
import { type ServiceOptions, serviceEndpoints } from './service/endpoints.ts'
import { requireCertificate } from './service-api/access.ts'
import { CHARGES_BASE } from './service-api/charge-metadata.ts'
import { answerChargesErrors, ChargesApiError } from './service-api/charges-problem.ts'
import { SERVICE_API_BASES, serviceApiEndpoints } from './service-api/endpoints.ts'
import { answerServiceApiErrors, ServiceApiError } from './service-api/problem.ts'
import { noAddress } from './service-api/sentences.ts'
import { tokenEndpoints } from './service-api/token-endpoint.ts'
import type { StreamRegistry } from './streams/stream-registry.ts'

export interface ApiOptions {
  readonly store: Store
  readonly now: () => number
  readonly log: Log
  /** For clients that may not see personal data. */
  readonly mask: EventMask
  /** How requests come, for the log of actions. */
  readonly channel: ActionChannel
  readonly guards: Guards
  readonly identity: Identity
  readonly polling: PollingOptions
  readonly streams: StreamRegistry
  readonly answers: BoundedAnswers
  /** null: not served, because no gateway runs. */
  readonly overview: OverviewSource | null
  /** null: not served. */
  readonly checks: CheckRuns | null
  readonly work: Work
  readonly destinations: Omit<DestinationOptions, 'nextProbeOf'>
  readonly certificates: CertificateOptions
  /** The charges interface of the service, as the gateway calls it for apps. */
  readonly charges: ChargesService
  readonly service: ServiceOptions
  readonly searchIndex: SearchIndex
  readonly gateway: GatewayOptions
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

/** Who may call the API. */
export interface Identity {
  readonly authenticate: Authentication
  readonly clients: ClientRegistry
  readonly tokens: AccessTokens
  readonly scopeNames: ScopeNames
  /** The service's own API for registrations (/registration, /payment) is only for callers with a client certificate (Document 1, Authentication 1). */
  readonly needsCertificate: boolean
}

/** The background work of the gateway that requests start or change. */
export interface Work
  extends Pick<DeliveryEndpointsOptions, 'wake' | 'drop' | 'nextProbeOf'>,
    Pick<ReplayEndpointsOptions, 'runReplays'>,
    Pick<QuarantineEndpointsOptions, 'onReleased'>,
    Pick<RetentionEndpointsOptions, 'pruning' | 'onRedacted'> {}

/** The same handlers on the API listener, on the control socket, and in a command that runs without a gateway. */
export function createApiApp(options: ApiOptions): RequestListener {
  const app = createRoutes(options)

  /** Express skips every layer for a target that is not a URL, such as `http://[`, and would answer with an HTML page. */
  function answerUnreadable(request: Request, response: Response): void {
    const detail = 'the request target cannot be read: use a path, such as /v1/events'
    prepareAnswer(request, response, () => sendProblem(response, { status: 400, code: 'request_invalid', detail }))
  }
  return function answerRequest(request, response) {
    const [expressRequest, expressResponse] = [request as Request, response as Response]
    app(expressRequest, expressResponse, () => answerUnreadable(expressRequest, expressResponse))
  }
}

const secure = helmet()

/** Headers of every answer. Only the request id may differ from request to request: equal answers share the others (`shareHeads`). */
const prepareAnswer: RequestHandler = function prepareAnswer(request, response, next) {
  nameRequest(request, response)
  response.setHeader('cache-control', 'no-store')
  secure(request, response, next)
}

const requireWellFormed: RequestHandler = function requireWellFormed(request, _response, next) {
  const flaw = flawOfMessage(request)
  if (flaw === null) return next()
  throw new PortariaError('request_invalid', `this is not a valid HTTP request: ${flaw}`)
}

/** Every operation that is served, in the order of the document. */
export function operationsOf(options: ApiOptions): readonly Operation[] {
  const { store, now, log, identity, polling, streams, answers, work, destinations } = options
  const { certificates, charges, service, gateway } = options
  const common = { store, now, log }
  const events = shareReads(store)
  const storeFor = storeViews(store, events)
  const hints = { traits: createTraitsMemory(store), kinds: destinations.kinds }
  const all: readonly Endpoint[] = [
    ...eventEndpoints({ storeFor, mask: options.mask, now, ...polling, streams, answers, hints, ...work }),
    ...consumerEndpoints({ store, events, now, ...polling, answers, hints }),
    ...replayEndpoints({ storeFor, ...common, ...work }),
    ...deliveryEndpoints({ store, storeFor, mask: options.mask, now, ...work }),
    ...quarantineEndpoints({ ...common, mask: options.mask, ...work }),
    ...destinationEndpoints({ storeFor, now, ...destinations, nextProbeOf: work.nextProbeOf }),
    ...serviceApiEndpoints({ ...common, ...destinations, charges, findClient: identity.clients.find }),
    ...clientEndpoints(identity),
    ...tokenEndpoints({ ...common, ...identity, findClient: identity.clients.find }),
    ...refusalEndpoints(store),
    ...auditEndpoints(store),
    ...retentionEndpoints({ ...common, ...work, clock: gateway.clock }),
    ...certificateEndpoints({ ...certificates, now }),
    ...serviceEndpoints(service),
    ...(options.overview === null ? [] : overviewEndpoints({ overview: options.overview, streams })),
    ...(options.checks === null ? [] : checkEndpoints(options.checks)),
    ...searchEndpoints({ searchIndex: options.searchIndex, log }),
    ...controlEndpoints(gateway),
    ...healthEndpoints(gateway),
    documentEndpoint(() => openApiDocument({ ...identity, version: gateway.version, endpoints: operations })),
    clientChainEndpoint(certificates),
    ...metricsEndpoints(gateway),
  ]
  const operations = all.map((one) => recorded(checkedOperation(one), { ...common, channel: options.channel }))
  return operations
}

/**
 * Serves the endpoints in four groups: public ones, the service's own API of Document 1 and of Document 2, and all others behind the authentication.
 * A path without an endpoint is 404 for every authenticated caller.
 */
export function createRoutes(options: ApiOptions): Express {
  const { log, guards } = options
  const { authenticate, scopeNames, needsCertificate } = options.identity
  const operations = operationsOf(options)
  const isPublic = ({ access }: Endpoint) => access === 'public'
  const behind = (group: 'service' | 'charges' | 'others') =>
    operations.filter((one) => !isPublic(one) && groupOf(one) === group)
  const { takeTurn, requireRoom } = options.answers
  const checkAccess = (access: Access) => accessCheck(access, scopeNames)
  const principalOf = (request: Request) => callerOf(request).principal
  const routesOf = (group: readonly Operation[]) =>
    operationRoutes(group, { checkAccess, takeTurn, requireRoom, principalOf })

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
  if (options.pages) app.use('/ui', options.pages)
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
      detail: `there is no endpoint at ${request.method} ${request.path.slice(0, 200)}${didYouMean(request.path, paths)}`,
    })
  })
  app.use(answerErrors(log))
  return app
}

function groupOf({ errors }: Endpoint): 'service' | 'charges' | 'others' {
  return errors === 'service' || errors === 'charges' ? errors : 'others'
}
