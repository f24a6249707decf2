import type { Destination } from '../domain/destination.ts'
import { type ForwardingCode, forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import { numberedId } from '../domain/public-id.ts'
import { type ConnectFailure, codeOf, handshakeWords } from './guarded-connect.ts'

const UNKNOWN_ISSUER = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]

type StepCode = Extract<
  ForwardingCode,
  | 'renew_certificate'
  | 'check_clocks'
  | 'other_names'
  | 'replace_certificate'
  | 'no_server_certificate'
  | 'no_tls'
  | 'old_tls'
  | 'nothing_in_common'
>

const STEPS: Readonly<Record<string, StepCode>> = {
  CERT_HAS_EXPIRED: 'renew_certificate',
  CERT_NOT_YET_VALID: 'check_clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_names',
  CERT_REVOKED: 'replace_certificate',
  INVALID_PURPOSE: 'no_server_certificate',
}

/** By OpenSSL's words, where there is no code. */
const REASONS: readonly (readonly [RegExp, StepCode])[] = [
  [/wrong version number|packet length too long|http request/i, 'no_tls'],
  [/protocol version|unsupported protocol/i, 'old_tls'],
  [/handshake failure|no shared cipher/i, 'nothing_in_common'],
]

type Issued = Pick<Destination, 'id' | 'origin' | 'authorities'>

/** The text of the failure; of a handshake with what to do about it, where that is known. */
export function withHandshakeStep({ stage, cause, message }: ConnectFailure, destination: Issued): string {
  const step = stage === 'handshake' ? stepAfter(cause, destination) : null
  return step === null ? message : forwardingText('handshake_step', { detail: handshakeWords(cause), step })
}

function stepAfter(cause: unknown, destination: Issued): string | null {
  const code = codeOf(cause) ?? ''
  if (UNKNOWN_ISSUER.includes(code)) return issuerStep(destination)
  const words = handshakeWords(cause)
  const step = STEPS[code] ?? REASONS.find(([pattern]) => pattern.test(words))?.[1]
  return step === undefined ? null : forwardingText(step)
}

function issuerStep({ id, origin, authorities }: Issued): string {
  if (authorities !== null) return forwardingText('given_authorities')
  if (origin === 'configuration') return forwardingText('configure_authority')
  return forwardingText('name_authority', { id: numberedId('dst', id) })
}
