import { constants, X509Certificate } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import express, { type Request, type RequestHandler, type Router } from 'express'
import type { Interface } from '../interfaces.ts'

export interface ServerOptions {
  /** PEM of the API server's certificate chain and its key. */
  readonly certificate: string
  readonly privateKey: string
  /** PEM of the authorities of account certificates: a hint for clients that have several certificates. */
  readonly clientCa: readonly string[]
  /** True for an account certificate of this environment that is valid now. */
  readonly isAccountCertificate: (certificate: X509Certificate) => boolean
  /** Whether an account certificate is refused by its SHA-256 fingerprint, as a revoked one is, on open connections too. */
  readonly isRefused: (fingerprint: string) => boolean
  /** Pages for people: no client certificate, and the same paths under every host name. */
  readonly pages: RequestHandler
  /** Host names at which an interface answers without its prefix, in lower case. */
  readonly hostNames: ReadonlyMap<string, Interface>
  /** The chains that are published, by file name below /certificates. */
  readonly publishedChains: () => Readonly<Record<string, string>>
}

/** The account certificates that callers have shown, by connection. */
export interface Callers {
  readonly fingerprintOf: (request: Request) => string | undefined
}

/**
 * The server of one environment. Its handshake asks for a client certificate and requires none, because the charges interface shares the port:
 * the interfaces that need one look at `Callers`.
 */
export function createEnvironmentServer(
  options: ServerOptions,
  routersOf: (callers: Callers) => Readonly<Record<Interface, Router>>,
): Server {
  const fingerprints = new WeakMap<object, string>()
  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.set('case sensitive routing', true)
  // No answer has a validator, so `If-None-Match: *` must not make one of 304.
  Object.defineProperty(app.request, 'fresh', { value: false })
  app.get('/certificates/:file', sendChain(options.publishedChains))
  app.use(options.pages)
  function fingerprintOf({ socket }: Request): string | undefined {
    const fingerprint = fingerprints.get(socket)
    return fingerprint === undefined || options.isRefused(fingerprint) ? undefined : fingerprint
  }
  const routers = routersOf({ fingerprintOf })
  app.use(byHostName(options.hostNames, routers))
  for (const [name, router] of Object.entries(routers)) app.use(`/${name}`, router)
  app.use((_request, response) => {
    const names = Object.keys(routers).map((name) => `/${name}`)
    response.status(404).json({ nome: 'nao_encontrado', mensagem: `As interfaces são: ${names.join(', ')}.` })
  })
  const server = createServer(
    {
      cert: options.certificate,
      key: options.privateKey,
      ca: [...options.clientCa],
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      sigalgs: SIGNATURE_ALGORITHMS,
      // Without the second, a client of HTTP/1.0 that offers its version has its handshake refused.
      ALPNProtocols: ['http/1.1', 'http/1.0'],
      // A resumed session shows no certificate.
      secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    },
    app,
  )
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const peer = peerOf(socket)
    if (peer !== undefined && options.isAccountCertificate(peer)) fingerprints.set(socket, peer.fingerprint256)
  })
  return server
}

// Without brainpool curves, which TLS 1.3 accepts by default: getPeerCertificate() of Node 24 ends the process for a key on one.
const SIGNATURE_ALGORITHMS = [
  ...['ecdsa_secp256r1_sha256', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512', 'ed25519'],
  ...['rsa_pss_rsae_sha256', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pss_pss_sha256', 'rsa_pss_pss_sha384', 'rsa_pss_pss_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512'],
].join(':')

function peerOf(socket: TLSSocket): X509Certificate | undefined {
  // getPeerX509Certificate() of Node 24 leaks memory.
  const { raw } = socket.getPeerCertificate()
  return raw === undefined ? undefined : new X509Certificate(raw)
}

function sendChain(publishedChains: ServerOptions['publishedChains']): RequestHandler {
  return function send(request, response, next) {
    const chain = publishedChains()[String(request.params.file)]
    if (chain === undefined) next()
    else response.type('application/x-pem-file').send(chain)
  }
}

function byHostName(
  hostNames: ServerOptions['hostNames'],
  routers: Readonly<Record<Interface, Router>>,
): RequestHandler {
  return function route(request, response, next) {
    const name = hostNames.get(request.hostname?.toLowerCase() ?? '')
    if (name === undefined) next()
    else routers[name](request, response, next)
  }
}
