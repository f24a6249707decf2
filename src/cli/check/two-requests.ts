import type { ProbeOutcome, ProbeRow } from '../../domain/refusal-rules.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('outside')

/** One of the two test requests, with the service's error code at registration if it fails. */
export function rowFinding(row: ProbeRow, isGood: boolean): Finding {
  const what = `${row.request}, TLS ${row.tlsVersion.replace('TLSv', '')}`
  if (isGood) return good(what, row.detail)
  const nextStep = `until then the service answers the registration with 400 webhook_invalido: ${registrationMessage(row)}`
  return problem('outside.request', what, row.detail, nextStep)
}

/** Error codes of the service (service-decisions.md, registering a webhook URL). */
function registrationMessage({ outcome, detail }: ProbeRow): string {
  const status = /\b([1-5]\d\d)\b/.exec(detail)?.[1]
  if (outcome === 'http_error' || outcome === 'redirected') return `answered HTTP ${status}`
  return MESSAGES[outcome] ?? 'handshake failed'
}

const MESSAGES: Readonly<Partial<Record<ProbeOutcome, string>>> = {
  accepted_without_certificate: 'accepted without certificate',
  unreachable: 'unreachable',
  connection_broken: 'unreachable',
  answer_cut_off: 'unreachable',
  not_http: 'unreachable',
  timeout: 'timeout',
}

/** A TLS version that the server does not speak does no harm if the other one refuses. */
export function isSpokenElsewhere(row: ProbeRow, half: readonly ProbeRow[]): boolean {
  return row.outcome === 'version_not_spoken' && half.some((other) => other !== row && other.ok)
}

/** Whether a caller with an untrusted certificate was refused. */
export function untrustedFinding(rows: readonly ProbeRow[]): Finding {
  const what = 'untrusted certificate'
  const tries = rows.filter(
    ({ request, outcome }) => request === 'with certificate' && outcome !== 'version_not_spoken',
  )
  const accepted = tries.find((row) => !isTurnedAway(row) && !isInconclusive(row))
  if (accepted !== undefined) {
    const found = `a certificate that no server may trust was accepted: ${statusWords(accepted)}`
    const nextStep = "let the server verify client certificates against the service's chains"
    return problem('outside.untrusted_accepted', what, found, nextStep)
  }
  const refused = tries.find(isTurnedAway)
  if (refused === undefined)
    return warning('outside.not_tried', what, 'could not be tried', 'see the findings above, and check again')
  return good(what, `refused: ${statusWords(refused)}`)
}

/** As without a certificate, any 4xx refuses: nginx answers 400 to a certificate that it cannot verify. */
function isTurnedAway({ outcome, detail }: ProbeRow): boolean {
  if (outcome === 'http_error') return /^answered 4\d\d\b/.test(detail)
  return outcome === 'handshake_failure' || outcome === 'closed_without_answer'
}

function isInconclusive({ outcome }: ProbeRow): boolean {
  return ['timeout', 'unreachable', 'connection_broken', 'tls_failure', 'not_tls'].includes(outcome)
}

/** Without the advice, which is meant for callers that should be accepted. */
function statusWords({ outcome, detail }: ProbeRow): string {
  if (outcome === 'closed_without_answer') return 'closed without an answer'
  return /^(?:answered \d+|handshake failure: TLS alert \d+ \(\w+\))/.exec(detail)?.[0] ?? detail
}
