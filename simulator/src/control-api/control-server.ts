import { createServer, type Server } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import type { Reply } from '../http/endpoint.ts'
import { violationsOf } from '../http/service-error.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import type { Site } from '../site.ts'
import { violationWords } from '../violation-words.ts'
import { type ControlAccess, guardsOf } from './access.ts'
import { type ControlCall, type ControlEndpoint, ControlError } from './control-endpoint.ts'

const environmentSchema = z.object({ environment: z.enum(ENVIRONMENTS).default('sandbox') })
const LARGEST_BODY = '2mb'

/** What the control port serves besides the control API. */
export interface ControlOptions {
  readonly access: ControlAccess
  /** The pages below /playground. */
  readonly playground: RequestHandler
}

/** The control API: plain HTTP, for loopback without credentials. */
export function createControlServer(
  sites: Readonly<Record<Environment, Site>>,
  endpoints: readonly ControlEndpoint[],
  { access, playground }: ControlOptions,
): Server {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.use(...guardsOf(access))
  app.get('/control/openapi.json', async (_request, response) => {
    const { controlDocument } = await import('./control-openapi.ts')
    response.json(controlDocument(endpoints))
  })
  app.use(express.json({ limit: LARGEST_BODY, strict: false, inflate: false }))
  for (const endpoint of endpoints) app[endpoint.method](`/control${endpoint.path}`, serve(sites, endpoint))
  app.use('/playground', playground)
  app.use(() => {
    throw new ControlError(404, 'no such path: see /control/openapi.json')
  })
  app.use(answerError)
  return createServer(app)
}

function serve(sites: Readonly<Record<Environment, Site>>, endpoint: ControlEndpoint): RequestHandler {
  return async function serveControl(request, response) {
    const { params, query, body } = request as unknown as ControlRequest
    const { status, json, text, type = 'text/plain' } = await answerControl(sites, endpoint, { params, query, body })
    response.status(status)
    if (json !== undefined) response.json(json)
    else if (text !== undefined) response.type(type).send(text)
    else response.end()
  }
}

/** A request to the control API before it is checked. */
export interface ControlRequest {
  readonly params: Readonly<Record<string, string>>
  /** With `environment`. */
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Checks a request and carries it out. @throws ControlError */
export async function answerControl(
  sites: Readonly<Record<Environment, Site>>,
  endpoint: ControlEndpoint,
  { params, query: { environment: named, ...query }, body }: ControlRequest,
): Promise<Reply> {
  const { environment } = check(environmentSchema, { environment: named })
  const call: ControlCall = {
    params,
    site: sites[environment],
    sites: named === undefined ? Object.values(sites) : [sites[environment]],
    query: check(endpoint.query ?? z.strictObject({}), query),
    body: endpoint.body === undefined ? undefined : check(endpoint.body, body ?? {}),
  }
  return endpoint.run(call as ControlCall<never, never>)
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
