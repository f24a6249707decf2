import express, { type Request, type RequestHandler, type Response } from 'express'
import { FrameError } from './error-pages.ts'

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"],
].join('; ')

/** Headers of every page, beside those of the API. */
export const setHeaders: RequestHandler = function setHeaders(_request, response, next) {
  response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY)
  // `no-referrer` would take the origin from forms too, by which they are recognized.
  response.setHeader('referrer-policy', 'same-origin')
  response.setHeader('x-frame-options', 'DENY')
  response.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  next()
}

/** 303: the browser follows with GET. */
export function redirect(response: Response, location: string): void {
  response.status(303).setHeader('location', location).end()
}

export function queryOf({ originalUrl }: Request): URLSearchParams {
  const mark = originalUrl.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : originalUrl.slice(mark + 1))
}

/** @param limit in bytes. @throws FrameError, and errors of the parser with a status below 500 */
export async function readForm(request: Request, response: Response, limit: number): Promise<URLSearchParams> {
  if (!request.is('application/x-www-form-urlencoded')) throw new FrameError(415, 'unreadable')
  const read = express.raw({ inflate: false, limit, type: () => true })
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
  })
  return new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader('x-request-id'))
}
