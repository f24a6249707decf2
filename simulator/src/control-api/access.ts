import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { RequestHandler } from 'express'
import { isFromForeignPage } from '../http/same-site.ts'
import { ControlError } from './control-endpoint.ts'

/** Who may use the control port. */
export interface ControlAccess {
  /** Address that it listens on; null: 127.0.0.1 and ::1. */
  readonly host: string | null
  /** Every request needs it; null: none does, which is for loopback only. */
  readonly token: string | null
}

export const LOOPBACK: ControlAccess = { host: null, token: null }

/** The cookie of a browser that gave the token: it holds what only the token makes. */
export const COOKIE = 'portaria-simulator'

/** Paths that need no token: the page that asks for it, its files, and what takes it. */
const OPEN = /^\/playground\/(sign-in|assets\/[\w.-]+)$/

/** Refuses what another page, another name (DNS rebinding) or a request without the token asks for. */
export function guardsOf(access: ControlAccess): RequestHandler[] {
  return [refuseForeignHosts(access), refuseForeignPages, refuseOtherBodies, ...requireToken(access)]
}

/**
 * A page in a browser must not reach the control port under a name of its own (DNS rebinding). With a token the machine may be named by an address:
 * no name leads there.
 */
function refuseForeignHosts({ host, token }: ControlAccess): RequestHandler {
  return function refuse(request, _response, next) {
    const [, name = ''] = /^(\[[\da-f:.]+\]|[^:[\]]*)(?::\d+)?$/i.exec(request.headers.host?.toLowerCase() ?? '') ?? []
    const isNamed = token !== null && (isIP(name.replace(/^\[|\]$/g, '')) > 0 || name === host?.toLowerCase())
    if (['localhost', '127.0.0.1', '[::1]'].includes(name) || isNamed) next()
    else if (token === null) throw new ControlError(421, 'call the control API as localhost, 127.0.0.1 or [::1]')
    else throw new ControlError(421, 'call the control API by the address of its machine, or as localhost')
  }
}

/** A page of another origin can send requests here, although it cannot read the answers. */
const refuseForeignPages: RequestHandler = (request, _response, next) => {
  if (['GET', 'HEAD'].includes(request.method) || !isFromForeignPage(request)) next()
  else throw new ControlError(403, 'a page of another origin may not change the simulator')
}

/** Browsers send JSON to another origin only after asking, which nothing here allows; and a body of another type would be ignored. */
const refuseOtherBodies: RequestHandler = (request, _response, next) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers
  const hasBody = length !== '0' || encoding !== undefined
  const isChange = !['GET', 'HEAD'].includes(request.method)
  const isRefused = hasBody ? request.is('application/json') === false : isChange && isFormType(type)
  if (!isRefused) next()
  else throw new ControlError(415, 'send the body as JSON, with the header content-type: application/json')
}

/** The types that a form of any page can send, without a body too. */
function isFormType(type: string): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(type)
}

function requireToken({ token }: ControlAccess): RequestHandler[] {
  if (token === null) return []
  return [
    function requireOne(request, response, next) {
      const { authorization = '', cookie = '' } = request.headers
      const [, bearer = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
      const [, kept = ''] = new RegExp(`(?:^|; *)${COOKIE}=([^;]*)`).exec(cookie) ?? []
      if (OPEN.test(request.path) || isSame(bearer, token) || isSame(kept, cookieOf(token))) return next()
      if (request.method === 'GET' && request.path.startsWith('/playground'))
        response.redirect(303, '/playground/sign-in')
      else throw new ControlError(401, 'send the token of --control-token-file, as authorization: Bearer <token>')
    },
  ]
}

/** What a browser keeps in place of the token: it opens nothing else that has the same token. */
export function cookieOf(token: string): string {
  return createHash('sha256').update(`cookie of the playground ${token}`).digest('base64url')
}

export function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(one, other)
}
