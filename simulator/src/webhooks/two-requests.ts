import { outcomeInPortuguese } from './outcome-words.ts'
import type { CallOutcome, FinishedCall, ReceiverCall } from './receiver-call.ts'
import type { Credentials } from './secure-contexts.ts'

/** What the service finds out about an address before it accepts it (Document 1, Authentication 4). */
export type AddressVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: AddressFault; readonly detail: string }

export type AddressFault =
  | 'accepted_without_certificate'
  | 'unreachable'
  | 'name_unknown'
  | 'timeout'
  | 'failed'
  | 'answered_with_error'

export type TwoRequests = Omit<ReceiverCall, 'credentials'> & { readonly credentials: Credentials }

/**
 * First a request without a certificate, which the receiver must refuse; then the test callback with the certificate, which it must answer with 2xx.
 * @param skipFirst leaves the first request out
 */
export async function judgeAddress(
  options: TwoRequests,
  skipFirst: boolean,
  call: (call: ReceiverCall) => Promise<FinishedCall>,
): Promise<AddressVerdict> {
  if (!skipFirst) {
    const first = await call({ ...options, credentials: null, isStatusEnough: true })
    const verdict = judgeRefusal(first.outcome)
    if (!verdict.ok) return verdict
  }
  const second = await call(options)
  return judgeWithCertificate(second.outcome)
}

/** service-decisions.md, what counts as refusing: 2xx, 3xx and what is not HTTP accept the caller; 5xx is a failure of the receiver. */
export function judgeRefusal(outcome: CallOutcome): AddressVerdict {
  if (outcome.kind === 'not_http' || (outcome.kind === 'answered' && outcome.status < 400))
    return fault('accepted_without_certificate', outcome)
  if (outcome.kind === 'answered' && outcome.status < 500) return { ok: true }
  // Refused, or the certificate of the receiver is not trusted, which the second request reports.
  if (['handshake_failed', 'closed', 'untrusted'].includes(outcome.kind)) return { ok: true }
  return judgeWithCertificate(outcome)
}

function judgeWithCertificate(outcome: CallOutcome): AddressVerdict {
  switch (outcome.kind) {
    case 'answered':
      return isSuccess(outcome) ? { ok: true } : fault('answered_with_error', outcome)
    case 'timeout':
    case 'name_unknown':
    case 'unreachable':
      return fault(outcome.kind, outcome)
    case 'forbidden_address':
      return fault('unreachable', outcome)
    default:
      return fault('failed', outcome)
  }
}

/** Any 2xx; a redirect is none. */
export function isSuccess(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
}

function fault(reason: AddressFault, outcome: CallOutcome): AddressVerdict {
  return { ok: false, reason, detail: outcomeInPortuguese(outcome) }
}
