import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import { type AccessRules, bearerOf, issueToken, requireScope } from '../http/access.ts'
import { jsonOf, readBody } from '../http/body.ts'
import type { Call, Endpoint, Reply } from '../http/endpoint.ts'
import { routeWith, withSegment } from '../http/path-segment.ts'
import { inFormOf, Refusal, ServiceError, violationsOf } from '../http/service-error.ts'
import { type Interface, requiresCertificate, TOKEN_PATHS } from '../interfaces.ts'

export interface InterfaceOptions {
  readonly rules: AccessRules
  readonly endpoints: readonly Endpoint[]
  /** In place of `svc` in paths and scopes. */
  readonly segment: string
  /** Name of the last member of a payment callback. */
  readonly paymentExtras: string
  readonly now: () => number
  /** Runs before the access check: configured faults and rate limits. */
  readonly before: readonly RequestHandler[]
  /** SHA-256 fingerprint of the caller's account certificate of this environment; undefined: the caller has none. */
  readonly fingerprintOf: (request: Request) => string | undefined
  /** Called with errors that are no answers. */
  readonly report: (error: unknown) => void
}

const portuguese = z.locales.pt().localeError

/** Texts for violations whose schema has none. */
const textOf: typeof portuguese = (issue) =>
  issue.input === undefined && issue.code.startsWith('invalid_') ? 'Este campo é obrigatório.' : portuguese(issue)

/** Everything that one interface answers, with paths relative to its base address. */
export function createInterface(options: InterfaceOptions): Router {
  const { rules, endpoints, segment } = options
  const name = rules.interface
  // Express matches paths in either case, which the service does not.
  const router = Router({ caseSensitive: true })
  router.get('/openapi.json', async (request, response) => {
    const { documentOf } = await import('./openapi.ts')
    const served = { segment, url: addressOf(request), paymentExtras: options.paymentExtras }
    response.json(documentOf(name, endpoints, served))
  })
  if (requiresCertificate(name)) router.use(cutWithoutCertificate(options))
  for (const endpoint of endpoints) useOwnForm(router, endpoint, segment)
  router.use(...options.before, readBody())
  router.post(TOKEN_PATHS[name], (request, response) => {
    const fingerprint = fingerprintFor(options, request)
    response.set('cache-control', 'no-store').json(issueToken(rules, request, fingerprint))
  })
  for (const endpoint of endpoints) router[endpoint.method](routeWith(segment, endpoint.path), serve(options, endpoint))
  for (const [path, { methods, digits }] of methodsByPath(options)) router.all(path, refuseMethod(methods, digits))
  router.use(() => {
    throw new Refusal(404, 'nao_encontrado', 'Este endereço não existe.')
  })
  router.use(answerErrors(options))
  return router
}

/** Base address of the interface, as its caller has it: with the prefix or with a host name of its own. */
function addressOf({ protocol, headers, socket, baseUrl }: Request): string {
  return `${protocol}://${headers.host ?? `localhost:${socket.localPort}`}${baseUrl}`
}

/** The real service cuts the connection, without an answer. */
function cutWithoutCertificate({ fingerprintOf }: InterfaceOptions): RequestHandler {
  return function cut(request, _response, next) {
    if (fingerprintOf(request) === undefined) request.socket.destroy()
    else next()
  }
}

/** Remembers the endpoint's form of refusals before anything reads the path's segments, which may be malformed. */
function useOwnForm(router: Router, { method, path, refused }: Endpoint, segment: string): void {
  if (refused === undefined) return
  const [fixed = ''] = routeWith(segment, path).split('/:')
  router.use(fixed, (request, response, next) => {
    if (request.method === method.toUpperCase()) response.locals.refused = refused
    next()
  })
}

function fingerprintFor({ rules, fingerprintOf }: InterfaceOptions, request: Request): string | null {
  return requiresCertificate(rules.interface) ? (fingerprintOf(request) ?? null) : null
}

function serve(options: InterfaceOptions, endpoint: Endpoint): RequestHandler {
  const scope = endpoint.scope === null ? null : withSegment(endpoint.scope, options.segment)
  return async function serveEndpoint(request, response, next) {
    if (!hasDigits(request, endpoint.digits)) return next()
    const { token, application } = bearerOf(options.rules, request, fingerprintFor(options, request))
    if (scope !== null) requireScope(token, scope)
    const call: Call = {
      params: request.params as Record<string, string>,
      query: check(endpoint, 'query', request.query),
      body: endpoint.body === undefined ? undefined : check(endpoint, 'body', bodyOf(endpoint, request) ?? {}),
      headers: request.headers,
      application,
      at: options.now(),
    }
    send(response, await endpoint.run(call as Call<never, never>))
  }
}

function bodyOf({ unreadable }: Endpoint, request: Request): unknown {
  try {
    return jsonOf(request)
  } catch (error) {
    throw error instanceof Refusal && error.status === 400 && unreadable !== undefined ? unreadable(error) : error
  }
}

function check(endpoint: Endpoint, part: 'query' | 'body', value: unknown): unknown {
  const schema = endpoint[part]
  if (schema === undefined) return {}
  const parsed = schema.safeParse(value, { error: textOf })
  if (parsed.success) return parsed.data
  throw (
    endpoint.invalid?.(parsed.error, part, value) ??
    new Refusal(400, 'erro_de_validacao', 'A requisição não é válida: veja os erros.', {
      violations: violationsOf(parsed.error),
    })
  )
}

function send(response: Response, { status, json, text, type = 'text/plain' }: Reply): void {
  response.status(status)
  if (json !== undefined) response.json(json)
  else if (text !== undefined) response.type(type).send(text)
  else response.end()
}

/** Other values are another path. */
function hasDigits({ params }: Request, digits: readonly string[] = []): boolean {
  return digits.every((segment) => /^\d+$/.test(String(params[segment])))
}

interface KnownPath {
  readonly methods: readonly string[]
  readonly digits: readonly string[]
}

function methodsByPath({ rules, endpoints, segment }: InterfaceOptions): Map<string, KnownPath> {
  const paths = new Map<string, KnownPath>([[TOKEN_PATHS[rules.interface], { methods: ['POST'], digits: [] }]])
  for (const endpoint of endpoints) {
    const { digits = [] } = endpoint
    const route = routeWith(segment, endpoint.path)
    const method = endpoint.method.toUpperCase()
    const methods = [...(paths.get(route)?.methods ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]
    paths.set(route, { methods, digits })
  }
  return paths
}

function refuseMethod(methods: readonly string[], digits: readonly string[]): RequestHandler {
  return function refuse(request, _response, next) {
    if (!hasDigits(request, digits)) return next()
    const headers = { allow: methods.join(', ') }
    throw new Refusal(405, 'metodo_nao_permitido', 'Este endereço não aceita este método.', { headers })
  }
}

function answerErrors(options: InterfaceOptions): ErrorRequestHandler {
  const name: Interface = options.rules.interface
  function answerTo(refusal: Refusal, { locals }: Response): ServiceError {
    const refused = locals.refused as Endpoint['refused']
    return refused?.(refusal) ?? inFormOf(name, refusal)
  }
  return function answerError(error: unknown, _request, response, _next) {
    const answer = error instanceof ServiceError ? error : answerTo(refusalOf(error, options.report), response)
    // Sockets are gone where a fault cut the connection.
    if (response.headersSent || response.destroyed) return
    response.status(answer.status).set(answer.headers)
    if (answer.body === null) response.end()
    else response.json(answer.body)
  }
}

const TEXTS: Readonly<Record<number, [string, string]>> = {
  400: ['requisicao_invalida', 'A requisição não pôde ser lida.'],
  413: ['corpo_grande_demais', 'O corpo da requisição é grande demais.'],
  415: ['codificacao_invalida', 'Envie o corpo sem compressão.'],
}

/** Errors of Express and its body parser have a status; all others are our own mistakes. */
function refusalOf(error: unknown, report: (error: unknown) => void): Refusal {
  if (error instanceof Refusal) return error
  const { status } = error as { status?: unknown }
  const text = typeof status === 'number' ? TEXTS[status] : undefined
  if (text !== undefined) return new Refusal(status as number, ...text)
  report(new Error(`the simulator failed: ${messageOf(error)}`, { cause: error }))
  return new Refusal(500, 'erro_aplicacao', 'Ocorreu um erro interno.')
}
