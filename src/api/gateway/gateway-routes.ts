import { Router } from 'express'
import type { Clock, ClockState } from '../../domain/clock.ts'
import type { ReadinessCheck } from '../../domain/readiness.ts'
import { PortariaError } from '../../platform/errors.ts'
import { sendJson } from '../http/answer.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'

export interface HealthRoutesOptions {
  /** The parts of the gateway's readiness, and what is wrong with them. */
  readonly checkReadiness: () => readonly ReadinessCheck[]
  readonly clock: Clock
  readonly version: string
}

/** `/healthz` and `/readyz`, for everybody. */
export function healthRoutes({ checkReadiness, clock, version }: HealthRoutesOptions): Router {
  const router = Router()
  router.get('/healthz', function alive(_request, response) {
    sendJson(response, JSON.stringify({ status: 'alive', version }))
  })
  router.get('/readyz', function ready(_request, response) {
    const all = checkReadiness()
    const reasons = all.flatMap(({ problem }) => problem ?? [])
    const status = reasons.length === 0 ? 'ready' : 'not ready'
    const checks = Object.fromEntries(all.map(({ name, problem }) => [name, problem ?? 'good']))
    response.status(reasons.length === 0 ? 200 : 503)
    sendJson(response, JSON.stringify({ status, reasons, checks, warnings: warningsOf(clock.state()) }))
  })
  return router
}

/** What an operator must look at, although callbacks are stored and delivered. */
function warningsOf({ problem }: ClockState): string[] {
  return problem === null ? [] : [problem]
}

/** `GET /openapi.json`, for everybody: it tells nothing that is not in the manual. @param describe asked once, when somebody wants it */
export function documentRoute(describe: () => JsonSchema): Router {
  let text: string | null = null
  const router = Router()
  router.get('/openapi.json', function showContract(_request, response) {
    text ??= JSON.stringify(describe())
    sendJson(response, text)
  })
  return router
}

export interface GatewayRoutesOptions {
  /** What runs here and whose database it is, for commands; null: nobody is told. */
  readonly about: object | null
  /** Reads certificates and chains anew; null: there is nothing to renew, or it is not asked for here. */
  readonly reload: (() => Promise<{ renewed: readonly string[]; problems: readonly string[] }>) | null
}

/** `/v1/gateway` */
export function gatewayRoutes({ about, reload }: GatewayRoutesOptions): Router {
  const router = Router()
  if (about !== null) {
    router.get('/v1/gateway', function showGateway(_request, response) {
      sendJson(response, JSON.stringify(about))
    })
  }
  if (reload !== null) {
    router.post('/v1/gateway/reload', async function reloadGateway(_request, response) {
      const { renewed, problems } = await reload()
      if (problems.length > 0) {
        throw new PortariaError('certificate_invalid', 'not everything could be taken up', { details: problems })
      }
      sendJson(response, JSON.stringify({ renewed }))
    })
  }
  return router
}
