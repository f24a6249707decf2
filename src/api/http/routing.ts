import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Caller } from '../../domain/client.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { similarWord } from '../../platform/suggestion.ts'
import { sendJson, sendJsonText } from './answer.ts'
import type { Access, Endpoint, Reply } from './endpoint.ts'
import { type Operation, takesTurn } from './operation.ts'
import { queryOf } from './query.ts'

export interface RouteOptions {
  readonly checkAccess: (access: Access) => RequestHandler
  readonly takeTurn: RequestHandler
  /** Who sent the request. */
  readonly principalOf: (request: Request) => Caller['principal']
}

/** Serves the operations: checks the method and the access, reads the body, waits for its turn, performs, sends the reply. */
export function operationRoutes(operations: readonly Operation[], options: RouteOptions): Router {
  const router = Router()
  // One route for each path: each more is compared with every request that goes behind it.
  for (const [path, known] of Map.groupBy(operations, (operation) => operation.path)) {
    const route = router.route(path)
    for (const operation of known) {
      const { method, access, before, body, answerErrors } = operation
      const preparing = [options.checkAccess(access), ...(before ? [before] : []), ...(body?.read ?? [])]
      // Behind the body: a caller that sends slowly must not keep a turn.
      const turn = takesTurn(operation) ? [options.takeTurn] : []
      const errors = answerErrors ? [answerErrors] : []
      route[method](...preparing, ...turn, performOverHttp(operation, options), ...errors)
    }
    route.all(refuseOtherMethods(known.flatMap(methodsOf)))
  }
  return router
}

function performOverHttp({ method, perform }: Operation, { principalOf }: RouteOptions): RequestHandler {
  return async function handle(request, response) {
    const reply = await perform({
      principal: principalOf(request),
      isReading: method === 'get',
      params: request.params as Record<string, string>,
      query: queryOf(request.url),
      body: request.body,
      reason: null,
      http: { request, response },
    })
    if (!reply.isSent) send(reply, response)
  }
}

function send({ status = 200, headers, json, jsonText, content, type }: Reply, response: Response): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  if (json !== undefined) return sendJson(response, json)
  if (jsonText !== undefined) return sendJsonText(response, jsonText)
  if (type !== undefined) response.setHeader('content-type', type)
  if (content === undefined) {
    response.end()
    return
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : bufferOf(content)
  // Also for HEAD, where Node leaves it out.
  response.setHeader('content-length', bytes.length)
  response.end(bytes)
}

/** The same bytes: what waits to be read is counted by the length of a buffer. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
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
    throw new PortariaError('method_not_allowed', say`${{ method }} is not allowed for this path: use ${{ names }}`)
  }
}

/** `; did you mean /v1/events?` for a mistyped path; '' if no path is similar. */
export function didYouMean(path: string, known: readonly string[]): string {
  const similar = similarPaths(path, known)
  return similar.length === 0 ? '' : `; did you mean ${similar.join(' or ')}?`
}

/** A mistyped path has one at most; one without its first segments has all that end with it. */
export function similarPaths(path: string, known: readonly string[]): string[] {
  const segments = path.slice(0, 200).replace(/\/+$/, '').split('/')
  const ending = [...new Set(known.filter((one) => isEndOf(segments.slice(1), one.split('/'))))]
  if (ending.length > 0) return ending
  const similar = known.find((one) => isSimilarPath(segments, one.split('/')))
  return similar === undefined ? [] : [similar]
}

/** A parameter, such as `:id`, is the same as any segment, but not as the first one. */
function isEndOf(segments: readonly string[], known: readonly string[]): boolean {
  const end = known.slice(-segments.length)
  return end[0] === segments[0] && end.every((name, index) => name.startsWith(':') || name === segments[index])
}

/** Whether all segments but one are the same, and that one is similar. A parameter, such as `:id`, is the same as any segment. */
function isSimilarPath(segments: readonly string[], known: readonly string[]): boolean {
  if (segments.length !== known.length) return false
  const different = known.flatMap((name, index) =>
    name.startsWith(':') || name === segments[index] ? [] : [{ name, written: segments[index] ?? '' }],
  )
  const [only] = different
  return different.length === 1 && only !== undefined && similarWord(only.written, [only.name]) !== null
}
