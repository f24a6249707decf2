import { createServer, type Server } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import { isFromForeignPage } from '../http/same-site.ts'
import { violationsOf } from '../http/service-error.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import type { Site } from '../site.ts'
import { violationWords } from '../violation-words.ts'
import { type ControlCall, type ControlEndpoint, ControlError } from './control-endpoint.ts'

const environmentSchema = z.object({ environment: z.enum(ENVIRONMENTS).default('sandbox') })
const LARGEST_BODY = '2mb'

/** The control API: plain HTTP for loopback, without credentials. */
export function createControlServer(
  sites: Readonly<Record<Environment, Site>>,
  endpoints: readonly ControlEndpoint[],
): Server {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.use(refuseForeignHosts)
  app.get('/control/openapi.json', async (_request, response) => {
    const { controlDocument } = await import('./control-openapi.ts')
    response.json(controlDocument(endpoints))
  })
  app.use(refuseForeignPages, refuseOtherBodies)
  app.use(express.json({ limit: LARGEST_BODY, strict: false, inflate: false }))
  for (const endpoint of endpoints) app[endpoint.method](`/control${endpoint.path}`, serve(sites, endpoint))
  app.use(() => {
    throw new ControlError(404, 'no such path: see /control/openapi.json')
  })
  app.use(answerError)
  return createServer(app)
}

/** A page in a browser must not reach the control API under a name of its own (DNS rebinding). */
const refuseForeignHosts: RequestHandler = (request, _response, next) => {
  if (/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(request.headers.host ?? '')) next()
  else throw new ControlError(421, 'call the control API as localhost, 127.0.0.1 or [::1]')
}

/** A page of another origin can send requests here, although it cannot read the answers. */
const refuseForeignPages: RequestHandler = (request, _response, next) => {
  if (['GET', 'HEAD'].includes(request.method) || !isFromForeignPage(request)) next()
  else throw new ControlError(403, 'a page of another origin may not change the simulator')
}

/** Browsers send JSON to another origin only after asking, which nothing here allows; and a body of another type would be ignored. */
const refuseOtherBodies: RequestHandler = (request, _response, next) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if ((length === '0' && encoding === undefined) || request.is('application/json') !== false) next()
  else throw new ControlError(415, 'send the body as JSON, with the header content-type: application/json')
}

function serve(sites: Readonly<Record<Environment, Site>>, endpoint: ControlEndpoint): RequestHandler {
  return async function serveControl(request, response) {
    const { environment: named, ...query } = request.query
    const { environment } = check(environmentSchema, { environment: named })
    const call: ControlCall = {
      params: request.params as Record<string, string>,
      site: sites[environment],
      sites: named === undefined ? Object.values(sites) : [sites[environment]],
      query: check(endpoint.query ?? z.strictObject({}), query),
      body: endpoint.body === undefined ? undefined : check(endpoint.body, request.body ?? {}),
    }
    const { status, json, text, type = 'text/plain' } = await endpoint.run(call as ControlCall<never, never>)
    response.status(status)
    if (json !== undefined) response.json(json)
    else if (text !== undefined) response.type(type).send(text)
    else response.end()
  }
}

function check<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value, { error: violationWords })
  if (parsed.success) return parsed.data
  const mistakes = violationsOf(parsed.error, { unknownField: 'there is no such member' }).map(
    ({ caminho, mensagem }) => `${caminho || 'the value'}: ${mensagem}`,
  )
  throw new ControlError(400, mistakes.join('; '))
}

const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const { status } = error as { status?: unknown }
  response.status(typeof status === 'number' ? status : 500).json({ error: messageOf(error) })
}
