import type { RequestHandler } from 'express'
import { principalOf } from '../../domain/client.ts'
import { PortariaError } from '../../platform/errors.ts'
import { callerOf } from '../auth/authentication.ts'
import { CERTIFICATE_EXPECTED, peerThumbprintOf } from '../auth/peer-certificate.ts'

/** Behind an authentication: requires a token bound to the peer certificate of this connection (Document 1, Authentication 1). */
export const requireCertificate: RequestHandler = function requireCertificate(request, response, next) {
  const principal = principalOf(callerOf(request))
  const isBound = principal.kind === 'operator' || principal.isBound
  if (isBound && peerThumbprintOf(request.socket) !== null) return next()
  response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
  throw new PortariaError('unauthorized', CERTIFICATE_EXPECTED)
}
