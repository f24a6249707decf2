import { type RequestHandler, Router } from 'express'
import { PortariaError } from '../../platform/errors.ts'
import type { Operation } from './endpoint.ts'

/** In front of the routes: a known path with another method is 405, and says which there are (RFC 9110 section 15.5.6). */
export function methodChecks(operations: readonly Operation[]): Router {
  const router = Router()
  for (const [path, known] of Map.groupBy(operations, (operation) => operation.path)) {
    router.all(path, refuseOthers(known.flatMap(methodsOf)))
  }
  return router
}

function methodsOf({ method }: Operation): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
}

function refuseOthers(allowed: readonly string[]): RequestHandler {
  const names = allowed.join(', ')
  return function refuseOtherMethods({ method }, response, next) {
    if (allowed.includes(method)) return next()
    response.setHeader('allow', names)
    throw new PortariaError('method_not_allowed', `${method} is not for this path: use ${names}`)
  }
}
