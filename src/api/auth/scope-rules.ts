import { Router } from 'express'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'
import type { Method } from '../http/endpoint.ts'
import { requireOperator, requireScope } from './authentication.ts'

interface ScopeRule {
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  /** Any of these will do, too. */
  readonly others: readonly Scope[]
}

/** What each of our own endpoints asks of a client. What does not stand here is for the operator alone. */
const SCOPE_RULES: readonly ScopeRule[] = [
  ...rules('events.read', 'get', [
    '/v1/events',
    '/v1/events/:id',
    '/v1/events/:id/original',
    '/v1/events/:id/deliveries',
    '/v1/consumers',
    '/v1/consumers/:name',
  ]),
  ...rules('events.read', 'post', [
    '/v1/consumers/:name/batches',
    '/v1/consumers/:name/ack',
    '/v1/consumers/:name/seek',
  ]),
  ...rules('events.read', 'delete', ['/v1/consumers/:name']),
  ...rules('events.replay', 'post', ['/v1/events/:id/replay', '/v1/replays']),
  ...rules('events.replay', 'delete', ['/v1/replays/:id']),
  ...rules('events.replay', 'get', ['/v1/replays', '/v1/replays/:id'], ['events.read']),
  ...rules('operations.read', 'get', ['/v1/deliveries', '/v1/refusals', '/v1/refusals/:id', '/v1/certificates']),
  // Where it is open to everybody, nobody comes as far as here.
  ...rules('operations.read', 'get', ['/metrics']),
  ...rules('operations.read', 'get', ['/v1/quarantine', '/v1/quarantine/:id']),
  ...rules('operations.write', 'post', ['/v1/deliveries/:id/retry', '/v1/deliveries/:id/skip']),
  ...rules('operations.write', 'post', ['/v1/quarantine/:id/release', '/v1/quarantine/:id/discard']),
  ...rules('destinations.read', 'get', ['/v1/destinations', '/v1/destinations/:id', '/v1/destinations/:id/stats']),
  // A secret signs in the gateway's name: of one's own destinations with this scope, of the others only with operations.write.
  ...rules('destinations.write', 'get', ['/v1/destinations/:id/secret']),
  ...rules('destinations.write', 'post', [
    '/v1/destinations',
    '/v1/destinations/:id/pause',
    '/v1/destinations/:id/resume',
    '/v1/destinations/:id/test',
    '/v1/destinations/:id/rotate-secret',
  ]),
  ...rules('destinations.write', 'patch', ['/v1/destinations/:id']),
  ...rules('destinations.write', 'delete', ['/v1/destinations/:id']),
]

function rules(scope: Scope, method: Method, paths: readonly string[], others: readonly Scope[] = []): ScopeRule[] {
  return paths.map((path) => ({ method, path, scope, others }))
}

/** Any of these will do; none: for the operator alone. */
export function scopesFor({ method, path }: { readonly method: Method; readonly path: string }): readonly Scope[] {
  const rule = SCOPE_RULES.find((one) => one.method === method && one.path === path)
  return rule === undefined ? [] : [rule.scope, ...rule.others]
}

/** Behind the authentication, in front of all that is below `/v1`. */
export function scopeChecks(names: ScopeNames): Router {
  const router = Router()
  for (const { method, path, scope, others } of SCOPE_RULES) {
    router[method](path, requireScope(scope, names, others), function letThrough(_request, _response, next) {
      next('router')
    })
  }
  router.use('/v1', requireOperator)
  return router
}
