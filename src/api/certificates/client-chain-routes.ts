import { Router } from 'express'

export interface ClientChainOptions {
  /**
   * PEM of what receivers install to know the gateway's client certificate, as it is now.
   * @throws PortariaError `not_found` where there is none, with what to do
   */
  readonly clientChain: () => string
}

/**
 * `GET /certificates/chain.pem`, for everybody: apps whose servers ask for a client certificate install it as their trusted chain, as they do with the
 * service's (Document 1, Authentication 4).
 */
export function clientChainRoutes({ clientChain }: ClientChainOptions): Router {
  const router = Router()
  router.get('/certificates/chain.pem', function showChain(_request, response) {
    // Not application/pem-certificate-chain (RFC 8555 section 9.1): that begins with the certificate itself.
    response.type('application/x-pem-file').send(clientChain())
  })
  return router
}
