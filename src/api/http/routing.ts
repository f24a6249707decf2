import { type RequestHandler, Router } from 'express'
import { PortariaError } from '../../platform/errors.ts'
import type { Access, Endpoint } from './endpoint.ts'

/** Serves the endpoints: checks the method and the access, reads the body, calls the handler. */
export function endpointRoutes(
  endpoints: readonly Endpoint[],
  checkAccess: (access: Access) => RequestHandler,
): Router {
  const router = Router()
  for (const [path, known] of Map.groupBy(endpoints, (endpoint) => endpoint.path))
    router.all(path, refuseOtherMethods(known.flatMap(methodsOf)))
  for (const { method, path, access, before, body, handler, answerErrors } of endpoints) {
    const preparing = [checkAccess(access), ...(before ? [before] : []), ...(body?.read ?? [])]
    router[method](path, ...preparing, handler, ...(answerErrors ? [answerErrors] : []))
  }
  return router
}

function methodsOf({ method }: Endpoint): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
}

/** A known path with another method is 405 with `Allow` (RFC 9110 section 15.5.6). */
function refuseOtherMethods(allowed: readonly string[]): RequestHandler {
  const names = allowed.join(', ')
  return function checkMethod({ method }, response, next) {
    if (allowed.includes(method)) return next()
    response.setHeader('allow', names)
    throw new PortariaError('method_not_allowed', `${method} is not allowed for this path: use ${names}`)
  }
}
