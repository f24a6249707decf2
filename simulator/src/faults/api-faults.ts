import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import type { Request, RequestHandler, Response } from 'express'
import { clientOf } from '../http/access.ts'
import { Refusal } from '../http/service-error.ts'
import type { Tokens } from '../http/tokens.ts'
import type { Interface } from '../interfaces.ts'
import type { Settings } from '../settings.ts'
import type { ApiFault } from './fault.ts'
import type { Faults } from './faults.ts'

/** Runs before the access check of an interface. */
export function applyApiFaults(on: Interface, { faults, tokens }: { faults: Faults; tokens: Tokens }): RequestHandler {
  return function applyFault(request, response, next) {
    const fault = faults.takeForApi({ interface: on, method: request.method, path: request.originalUrl })
    if (fault === undefined) return next()
    apply(fault, { request, response, next, tokens })
  }
}

interface Met {
  readonly request: Request
  readonly response: Response
  readonly next: () => void
  readonly tokens: Tokens
}

/** @throws Refusal for a fault that is an answer */
function apply(fault: ApiFault, { request, response, next, tokens }: Met): void {
  switch (fault.fault) {
    case 'timeout':
      setTimeout(() => request.socket.destroy(), fault.afterMs).unref()
      return
    case 'cut_before_request':
      request.socket.destroy()
      return
    case 'rate_limited':
      throw tooMany(fault.retryAfter)
    case 'server_error':
      throw new Refusal(fault.status, 'erro_aplicacao', 'Ocorreu um erro interno.')
    case 'garbage':
      response.status(200).type('html').send('<!doctype html>\n<title>Manutenção</title>\n')
      return
    case 'expired_token':
      tokens.end(/^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '')
      return next()
    case 'late_answer':
      endWith(response, (body, end) => void setTimeout(end, fault.delayMs, body).unref())
      return next()
    case 'cut_after_request':
      endWith(response, () => void request.socket.destroy())
      return next()
    case 'cut_in_answer':
      endWith(response, (body) => {
        // Its head names the whole length.
        response.write(body.subarray(0, body.length / 2), () => void request.socket.destroy())
      })
      return next()
    case 'slow_answer':
      endWith(response, (body, end) => void sendInPieces(response, body, fault.overMs).then(end))
      return next()
    case 'broken_body':
      endWith(response, (body, end) => {
        if (body.length === 0) return end(body)
        const broken = Buffer.from(fault.body)
        response.setHeader('content-type', fault.contentType).setHeader('content-length', broken.length)
        end(broken)
      })
      return next()
  }
}

/** Puts `instead` in the place of the end of the answer, which sends head and body: nothing is sent before. */
function endWith(response: Response, instead: (body: Buffer, end: (body?: Buffer) => void) => void): void {
  const end = response.end.bind(response) as (body?: Buffer) => Response
  response.end = ((body?: unknown) => {
    const bytes = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body as string) : Buffer.alloc(0)
    instead(bytes, (given) => void end(given))
    return response
  }) as Response['end']
}

const PIECES = 10

/** Ends early where the client has gone. */
async function sendInPieces(response: Response, body: Buffer, overMs: number): Promise<undefined> {
  const size = Math.max(1, Math.ceil(body.length / PIECES))
  for (let at = 0; at < body.length && !response.destroyed; at += size) {
    if (at > 0) await setTimeoutAsync(overMs / (PIECES - 1), undefined, { ref: false })
    response.write(body.subarray(at, at + size))
  }
}

function tooMany(retryAfter: number): Refusal {
  const headers = { 'retry-after': String(retryAfter) }
  return new Refusal(429, 'limite_de_requisicoes', 'Muitas requisições: tente mais tarde.', { headers })
}

interface Bucket {
  readonly tokens: number
  /** Real time, in ms since 1970. */
  readonly at: number
}

/** A token bucket for each application (service-decisions.md, rate limit); requests without valid credentials share one. */
export function limitRate(limit: Settings['rateLimit'], tokens: Tokens, realNow: () => number): RequestHandler {
  const buckets = new Map<string, Bucket>()
  return function checkRate(request, _response, next) {
    if (limit === null) return next()
    const client = clientOf(request, tokens)
    const { perSecond, burst } = limit
    const { tokens: left, at } = buckets.get(client) ?? { tokens: burst, at: realNow() }
    const now = realNow()
    const available = Math.min(burst, left + (Math.max(0, now - at) / 1000) * perSecond)
    buckets.set(client, { tokens: available >= 1 ? available - 1 : available, at: now })
    if (available >= 1) return next()
    throw tooMany(Math.max(1, Math.ceil((1 - available) / perSecond)))
  }
}
