import type { Destination } from '../domain/destination.ts'
import { numberedId } from '../domain/public-id.ts'
import { COMMAND } from '../platform/installation.ts'
import { type ConnectFailure, codeOf, handshakeWords } from './guarded-connect.ts'

const UNKNOWN_ISSUER = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]

const STEPS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew the certificate at the destination, with its intermediates',
  CERT_NOT_YET_VALID: 'check the clocks of both machines, and the dates of the certificate at the destination',
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for other names: correct the destination's URL, or the certificate",
  CERT_REVOKED: 'replace the certificate at the destination',
  INVALID_PURPOSE: 'the certificate is not one for servers: replace it at the destination',
}

/** By OpenSSL's words, where there is no code. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|http request/i,
    'the port does not speak TLS: correct the port, or http',
  ],
  [/protocol version|unsupported protocol/i, 'the destination must speak TLS 1.2 or 1.3'],
  [/handshake failure|no shared cipher/i, 'destination and gateway have no cipher or curve in common'],
]

type Issued = Pick<Destination, 'id' | 'origin' | 'authorities'>

/** What to do about a handshake that failed, behind its text; '': nothing is known. */
export function handshakeStep(failure: ConnectFailure, destination: Issued): string {
  if (failure.stage !== 'handshake') return ''
  const code = codeOf(failure.cause) ?? ''
  const step = UNKNOWN_ISSUER.includes(code) ? issuerStep(destination) : (STEPS[code] ?? reasonStep(failure.cause))
  return step === null ? '' : `; ${step}`
}

function reasonStep(cause: unknown): string | null {
  const words = handshakeWords(cause)
  return REASONS.find(([pattern]) => pattern.test(words))?.[1] ?? null
}

function issuerStep({ id, origin, authorities }: Issued): string {
  if (authorities !== null)
    return 'the authorities given for this destination (--ca FILE) did not issue it, or it does not send its intermediate certificates'
  const way =
    origin === 'configuration'
      ? 'ca: FILE in its entry'
      : `${COMMAND} destinations update ${numberedId('dst', id)} --ca FILE`
  return `if a private authority issued the certificate, name that authority: ${way}; if a public one did, let the destination send its intermediate certificates`
}
