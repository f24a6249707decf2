import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../domain/event.ts'
import type { Realm } from '../domain/realm.ts'
import { type CallerProblem, issuerOfCaller, type Trust } from '../domain/trust.ts'
import { fingerprintOf } from '../platform/certificate-identity.ts'
import { messageOf } from '../platform/errors.ts'
import { takeCertificate } from '../tls/peer-certificate.ts'
import { addressOf } from '../tls/remote-address.ts'
import { type Reason, WRONG_USAGE_OF_CHAIN } from './refusal-reasons.ts'

/** A connection's caller, identified once after the handshake. */
export interface VerifiedCaller {
  readonly environment: Realm
  readonly peer: Peer
  readonly tlsVersion: string
  readonly cipher: string
  readonly remoteAddress: string
}

export type Identification = { readonly caller: VerifiedCaller } | { readonly refusal: Reason }

export interface PeerIdentification {
  /** Once for each connection, after its handshake. @param isUsageWaived accepted despite a missing client-auth key usage */
  identify(socket: TLSSocket, isUsageWaived: boolean): Identification
  /** Whether to accept a certificate that TLS refuses only because of its use. Verifies everything else again. */
  waivesUsageOf(certificate: X509Certificate): boolean
  /** The environment of a caller that was identified before, perhaps under another trust; null: it would be refused. */
  environmentOf(peer: Peer, isUsageWaived: boolean): Realm | null
}

interface Identity {
  readonly environment: Realm
  readonly peer: Peer
}

interface Known extends Identity {
  /** In ms since 1970; after this the certificate is checked again. */
  readonly until: number
}

const PEER_CACHE_SIZE = 256
/** OpenSSL's code for a certificate whose only flaw may be its use. */
export const INVALID_PURPOSE = 'INVALID_PURPOSE'

/**
 * Pins the issuer. OpenSSL has verified the chain up to an installed root, but the same root may be above both environments and above other
 * companies. Only a caller whose certificate was signed by an installed issuing certificate is accepted.
 */
export function createPeerIdentification(trust: Trust, now: () => number): PeerIdentification {
  const known = new Map<string, Known>()
  const environments = new Map<string, Realm | null>()

  function identityOf(certificate: X509Certificate, isUsageWaived: boolean): Identity | CallerProblem {
    const key = `${certificate.fingerprint256} ${isUsageWaived}`
    const found = known.get(key)
    if (found !== undefined && now() < found.until) return found
    const issuer = issuerOfCaller(certificate, trust.issuing, { now: now(), hasClientUse: !isUsageWaived })
    if (typeof issuer === 'string') return issuer
    // A waived use is verified each time, because TLS does not check everything then.
    const until = isUsageWaived ? 0 : (issuer.revocation?.current?.until ?? Number.POSITIVE_INFINITY)
    const identity = { environment: issuer.environment, peer: peerOf(certificate), until }
    if (known.size >= PEER_CACHE_SIZE) known.clear()
    known.set(key, identity)
    return identity
  }

  /** Runs in an event of the socket, so an unreadable certificate must not throw: it is refused. */
  function identityOrFlaw(
    certificate: X509Certificate,
    isUsageWaived: boolean,
  ): Identity | CallerProblem | { readonly flaw: string } {
    try {
      return identityOf(certificate, isUsageWaived)
    } catch (error) {
      return { flaw: `its certificate cannot be read: ${messageOf(error)}` }
    }
  }

  return {
    identify(socket, isUsageWaived) {
      if (isUsageWaived ? String(socket.authorizationError) !== INVALID_PURPOSE : !socket.authorized)
        return {
          refusal: { code: 'invalid_certificate', rawCode: String(socket.authorizationError ?? 'not verified') },
        }
      const certificate = takeCertificate(socket)
      if (certificate === undefined) return { refusal: { code: 'no_certificate' } }
      const identity = identityOrFlaw(certificate, isUsageWaived)
      if (typeof identity === 'string')
        return { refusal: identity === 'wrong_usage' ? WRONG_USAGE_OF_CHAIN : { code: identity } }
      if ('flaw' in identity) return { refusal: { code: 'invalid_certificate', reason: identity.flaw } }
      const { environment, peer } = identity
      return {
        caller: {
          environment,
          peer,
          tlsVersion: socket.getProtocol() ?? 'unknown',
          cipher: socket.getCipher().name,
          remoteAddress: addressOf(socket),
        },
      }
    },
    waivesUsageOf(certificate) {
      const identity = identityOrFlaw(certificate, true)
      return typeof identity !== 'string' && !('flaw' in identity)
    },
    environmentOf({ fingerprint, pem }, isUsageWaived) {
      const key = `${fingerprint} ${isUsageWaived}`
      const found = environments.get(key)
      if (found !== undefined) return found
      const identity = identityOf(new X509Certificate(pem), isUsageWaived)
      const environment = typeof identity === 'string' ? null : identity.environment
      environments.set(key, environment)
      return environment
    },
  }
}

function peerOf(certificate: X509Certificate): Peer {
  return {
    fingerprint: fingerprintOf(certificate),
    serial: certificate.serialNumber,
    subject: certificate.subject ?? '',
    issuer: certificate.issuer ?? '',
    notAfter: Date.parse(certificate.validTo),
    pem: certificate.toString(),
  }
}
