import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { messageOf } from '../domain/errors.ts'
import type { Environment, Peer } from '../domain/event.ts'
import { type CallerProblem, issuerOfCaller, type Trust } from '../domain/trust.ts'
import { takeCertificate } from './offered-chain.ts'
import type { Reason } from './refusal-reasons.ts'

/** Who a connection's caller is, decided once, after its handshake. */
export interface VerifiedCaller {
  readonly environment: Environment
  readonly peer: Peer
  readonly tlsVersion: string
  readonly cipher: string
  readonly remoteAddress: string
}

export type Identification = { readonly caller: VerifiedCaller } | { readonly refusal: Reason }

export interface PeerIdentification {
  /** Once for each connection, after its handshake. */
  identify(socket: TLSSocket): Identification
  /** Whose caller somebody would be who was identified before, perhaps under another trust; null: nobody's. */
  environmentOf(peer: Peer): Environment | null
}

interface Identity {
  readonly environment: Environment
  readonly peer: Peer
}

const PEER_CACHE_SIZE = 256

/**
 * Pins the issuer: OpenSSL has verified the chain up to an installed root, but a root may stand above both environments, and above
 * strangers. Only a caller whose certificate an installed issuing certificate signed is let in.
 */
export function createPeerIdentification(trust: Trust): PeerIdentification {
  const known = new Map<string, Identity>()
  const judged = new Map<string, Environment | null>()

  function identityOf(certificate: X509Certificate): Identity | CallerProblem {
    const found = known.get(certificate.fingerprint256)
    if (found !== undefined) return found
    const issuer = issuerOfCaller(certificate, trust.issuing)
    if (typeof issuer === 'string') return issuer
    const identity = { environment: issuer.environment, peer: peerOf(certificate) }
    if (known.size >= PEER_CACHE_SIZE) known.clear()
    known.set(certificate.fingerprint256, identity)
    return identity
  }

  /** It runs in an event of the socket: a certificate that cannot be judged is refused, and must not end the process. */
  function identityOrFlaw(certificate: X509Certificate): Identity | CallerProblem | { flaw: string } {
    try {
      return identityOf(certificate)
    } catch (error) {
      return { flaw: `its certificate cannot be read: ${messageOf(error)}` }
    }
  }

  return {
    identify(socket) {
      if (!socket.authorized)
        return {
          refusal: { code: 'invalid_certificate', rawCode: String(socket.authorizationError ?? 'not verified') },
        }
      const certificate = takeCertificate(socket)
      if (certificate === undefined) return { refusal: { code: 'no_certificate' } }
      const identity = identityOrFlaw(certificate)
      if (typeof identity === 'string') return { refusal: { code: identity } }
      if ('flaw' in identity) return { refusal: { code: 'invalid_certificate', reason: identity.flaw } }
      return {
        caller: {
          ...identity,
          tlsVersion: socket.getProtocol() ?? 'unknown',
          cipher: socket.getCipher().name,
          remoteAddress: socket.remoteAddress ?? 'unknown',
        },
      }
    },
    environmentOf({ fingerprint, pem }) {
      const found = judged.get(fingerprint)
      if (found !== undefined) return found
      const identity = identityOf(new X509Certificate(pem))
      const environment = typeof identity === 'string' ? null : identity.environment
      judged.set(fingerprint, environment)
      return environment
    },
  }
}

function peerOf(certificate: X509Certificate): Peer {
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    serial: certificate.serialNumber,
    subject: certificate.subject ?? '',
    issuer: certificate.issuer ?? '',
    notAfter: Date.parse(certificate.validTo),
    pem: certificate.toString(),
  }
}
