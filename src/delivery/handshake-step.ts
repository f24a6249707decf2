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
  | 'http2_only'
  | 'client_certificate_wanted'
  | 'client_certificate_refused'
  | 'name_not_served'
  | 'refused_there'
>

const STEPS: Readonly<Record<string, StepCode>> = {
  CERT_HAS_EXPIRED: 'renew_certificate',
  CERT_NOT_YET_VALID: 'check_clocks',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_names',
  CERT_REVOKED: 'replace_certificate',
  INVALID_PURPOSE: 'no_server_certificate',
}

/** By OpenSSL's words, where there is no code. Alerts are those of the other side (RFC 8446, section 6). */
const REASONS: readonly (readonly [RegExp, StepCode])[] = [
  [/wrong version number|packet length too long|http request/i, 'no_tls'],
  [/protocol version|unsupported protocol/i, 'old_tls'],
  [/handshake failure|no shared cipher|insufficient security/i, 'nothing_in_common'],
  [/alert no application protocol/i, 'http2_only'],
  [/alert (certificate required|no certificate)/i, 'client_certificate_wanted'],
  [
    /alert (bad certificate|unsupported certificate|certificate \w+|unknown ca|access denied)/i,
    'client_certificate_refused',
  ],
  [/unrecognized name/i, 'name_not_served'],
  [/\balert\b/i, 'refused_there'],
]

type Issued = Pick<Destination, 'id' | 'origin' | 'authorities'>

/** Of TLS 1.3, in which the other side may refuse a client certificate after the handshake. */
export function withAlertStep(error: unknown): string {
  const detail = handshakeWords(error)
  const step = REASONS.find(([pattern]) => pattern.test(detail))?.[1]
  return step === undefined
    ? forwardingText('handshake', { detail })
    : forwardingText('handshake_step', { detail, step: forwardingText(step) })
}

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
