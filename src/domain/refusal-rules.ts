/**
 * Interprets the two requests of the service: without a client certificate the server must refuse, with one it must answer 2xx. service-decisions.md
 * defines a refusal: handshake failure, connection closed without an answer, or any 4xx. 2xx and 3xx accept the caller, 5xx is a failure. A missing or
 * silent server, or one without the TLS version, is no refusal.
 */

import { adviceForAlert, CERTIFICATE_ALERTS, describeAlert } from '../platform/tls-alerts.ts'

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'
export const PROBED_TLS_VERSIONS: readonly TlsVersion[] = ['TLSv1.2', 'TLSv1.3']

export type ProbedRequest = 'without certificate' | 'with certificate'

/** How one request ended, as seen from the caller. */
export type Ending =
  | { readonly kind: 'answered'; readonly status: number; readonly location: string | null }
  /** Only the status arrived, not the rest of the answer. */
  | { readonly kind: 'cut-off'; readonly status: number }
  | { readonly kind: 'not-http'; readonly reason: string }
  /** The server sent a fatal TLS alert; in TLS 1.3 it comes after the caller's handshake. */
  | { readonly kind: 'alert'; readonly alert: number }
  | { readonly kind: 'closed' }
  | { readonly kind: 'version-not-spoken' }
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'tls-error'; readonly reason: string }
  /** The caller does not trust the server's certificate. */
  | { readonly kind: 'untrusted'; readonly reason: string }
  | { readonly kind: 'timeout'; readonly during: 'handshake' | 'answer' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'broken'; readonly reason: string }

export type ProbeOutcome =
  | 'handshake_failure'
  | 'closed_without_answer'
  | 'refused_by_status'
  | 'accepted_without_certificate'
  | 'answered'
  | 'redirected'
  | 'http_error'
  | 'answer_cut_off'
  | 'not_http'
  | 'version_not_spoken'
  | 'not_tls'
  | 'tls_failure'
  | 'server_not_trusted'
  | 'timeout'
  | 'unreachable'
  | 'connection_broken'

export interface Verdict {
  readonly outcome: ProbeOutcome
  readonly ok: boolean
  /** The result in words, and what to do after a failure. */
  readonly detail: string
}

export interface ProbeRow extends Verdict {
  readonly request: ProbedRequest
  readonly tlsVersion: TlsVersion
  readonly durationMs: number
}

/** Alerts with which TLS libraries refuse a certificate. For a caller that shows one, other alerts have other causes. */
const REFUSING_ALERTS: readonly number[] = [40, ...CERTIFICATE_ALERTS]

const INSTALL_ISSUER =
  "install the chain of your certificate's issuer at the server, give the full chain with --cert, and look at the server's own record of refused callers"

const PROXIES = 'the server saw no certificate: check the proxies between the caller and the server'

/** For a caller that shows a certificate, these alerts say less than what it can do. */
const ADVICE_WITH_CERTIFICATE: Readonly<Record<number, string>> = {
  40: `the server turned the certificate away or shares no cipher with the caller: ${INSTALL_ISSUER}`,
  41: INSTALL_ISSUER,
  42: INSTALL_ISSUER,
  46: INSTALL_ISSUER,
  48: INSTALL_ISSUER,
  49: INSTALL_ISSUER,
  116: PROXIES,
}

/** Whether the server refused a caller without a certificate. */
export function judgeWithoutCertificate(ending: Ending): Verdict {
  if (ending.kind === 'alert') return refused('handshake_failure', `handshake failure: ${describeAlert(ending.alert)}`)
  if (ending.kind === 'closed') return refused('closed_without_answer', 'closed without an answer')
  if (ending.kind === 'answered' || ending.kind === 'cut-off') return judgeStatusWithoutCertificate(ending.status)
  if (ending.kind === 'not-http')
    return failed(
      'accepted_without_certificate',
      `accepted without certificate (an answer that is not HTTP: ${ending.reason}): make the server demand a client certificate`,
    )
  return judgeTrouble(ending)
}

function judgeStatusWithoutCertificate(status: number): Verdict {
  if (status >= 400 && status < 500) return refused('refused_by_status', `answered ${status}`)
  if (status >= 500) return failed('http_error', `answered ${status}: ${adviceForStatus(status)}`)
  return failed('accepted_without_certificate', acceptedText(status))
}

/** Whether the server answered 2xx to a caller with a certificate. */
export function judgeWithCertificate(ending: Ending): Verdict {
  if (ending.kind === 'answered') return judgeAnswer(ending.status, ending.location)
  if (ending.kind === 'cut-off')
    return failed('answer_cut_off', `answered ${ending.status}, but the answer broke off: look at the server's log`)
  if (ending.kind === 'not-http')
    return failed('not_http', `the answer is not HTTP (${ending.reason}): check host and port`)
  if (ending.kind === 'alert' && REFUSING_ALERTS.includes(ending.alert))
    return failed(
      'handshake_failure',
      `handshake failure: ${describeAlert(ending.alert)}: ${ADVICE_WITH_CERTIFICATE[ending.alert] ?? adviceForAlert(ending.alert)}`,
    )
  if (ending.kind === 'closed')
    return failed(
      'closed_without_answer',
      `closed without an answer: most likely the certificate was turned away: ${INSTALL_ISSUER}`,
    )
  return judgeTrouble(ending)
}

/**
 * The verdict over all rows. A TLS version that the server does not speak passes only if in the other version the caller without a certificate is
 * refused and the request with a certificate succeeds.
 */
export function judgeTogether(rows: readonly ProbeRow[]): readonly ProbeRow[] {
  return rows.map((row) => {
    if (row.outcome !== 'version_not_spoken') return row
    const ok = isRefusedElsewhere(rows, row.tlsVersion) && isServed(rows) && !isServedIn(rows, row)
    const rest = ok ? 'the other TLS version will do' : 'no other TLS version does all that is asked'
    return { ...row, ok, detail: `${row.detail}; ${rest}` }
  })
}

function isRefusedElsewhere(rows: readonly ProbeRow[], tlsVersion: TlsVersion): boolean {
  return rows.some(
    (other) =>
      other.request === 'without certificate' &&
      other.tlsVersion !== tlsVersion &&
      other.ok &&
      other.outcome !== 'version_not_spoken',
  )
}

function isServed(rows: readonly ProbeRow[]): boolean {
  return rows.some((other) => other.outcome === 'answered')
}

/** Whether the request with a certificate succeeded in this version: then the server speaks it, and no refusal was seen. */
function isServedIn(rows: readonly ProbeRow[], row: ProbeRow): boolean {
  return rows.some((other) => other.outcome === 'answered' && other.tlsVersion === row.tlsVersion)
}

function judgeAnswer(status: number, location: string | null): Verdict {
  if (status >= 200 && status < 300) return { outcome: 'answered', ok: true, detail: `answered ${status}` }
  if (status >= 300 && status < 400) {
    const target = location === null ? '' : ` to ${location}`
    return failed(
      'redirected',
      `answered ${status}${target}: redirects are failures; answer here, or give the final address`,
    )
  }
  return failed('http_error', `answered ${status}: ${adviceForStatus(status)}`)
}

function adviceForStatus(status: number): string {
  if (status === 401 || status === 403) return `the server turned the certificate away: ${INSTALL_ISSUER}`
  if (status === 404) return 'nothing is served at this path: check the path of the URL'
  if (status === 405) return 'the path takes no POST: check the path of the URL'
  if (status === 413) return 'the body is larger than the server takes'
  if (status === 415) return 'the server does not take application/json'
  if (status === 400)
    return "the server did not take the request: look at the server's log; nginx answers 400 to a certificate that it cannot verify"
  if (status >= 500) return "the server failed: look at the server's log, and at the systems behind it"
  return 'only 2xx counts as taken'
}

function acceptedText(status: number): string {
  return `accepted without certificate (HTTP ${status}): only a handshake failure, a closed connection and 4xx are refusals; make the server demand a client certificate`
}

type Trouble = Exclude<Ending, { kind: 'answered' | 'cut-off' | 'not-http' | 'closed' }>

/** Endings that prove nothing about certificates. */
function judgeTrouble(ending: Trouble): Verdict {
  switch (ending.kind) {
    case 'alert':
      return failed('tls_failure', `TLS failed: ${describeAlert(ending.alert)}: ${adviceForAlert(ending.alert)}`)
    case 'version-not-spoken':
      return failed('version_not_spoken', 'the server does not speak this TLS version')
    case 'not-tls':
      return failed('not_tls', 'the server does not speak TLS on this port: check the port, or switch TLS on')
    case 'tls-error':
      return failed('tls_failure', `TLS failed: ${ending.reason}: look at the server's log`)
    case 'untrusted':
      return failed('server_not_trusted', untrustedText(ending.reason))
    case 'timeout':
      return failed('timeout', timeoutText(ending.during))
    case 'unreachable':
      return failed('unreachable', `unreachable: ${ending.reason}`)
    case 'broken':
      return failed('connection_broken', `the connection broke: ${ending.reason}: try again`)
  }
}

function untrustedText(reason: string): string {
  return `the server's certificate is not trusted (${reason}): let the server send its full chain for this host name, in date; a private authority is given with --ca FILE`
}

function timeoutText(during: 'handshake' | 'answer'): string {
  return during === 'handshake'
    ? 'the TLS handshake did not end within the time limit: check that the port speaks TLS, and the proxies before it'
    : 'no answer within the time limit: let the server answer first and work later'
}

function refused(outcome: ProbeOutcome, text: string): Verdict {
  return { outcome, ok: true, detail: `refused: ${text}` }
}

function failed(outcome: ProbeOutcome, detail: string): Verdict {
  return { outcome, ok: false, detail }
}
