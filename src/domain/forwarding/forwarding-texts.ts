import { COMMAND } from '../../platform/installation.ts'

const RESUMES = 'a usable one is taken up by itself, and sending resumes within a minute'
const SET_URL = "if it is right, set it as the destination's URL"
const OTHER_CERTIFICATE =
  'get one from a private authority ({command} certs csr makes the request) that the other side trusts'

/**
 * What the gateway says about forwarding: why an attempt failed, why a delivery or a replay ended, why a destination is paused, and what to do.
 * The database and the API have the whole English text. A value in braces comes from outside, except `{step}`, which is another of these texts, and `{command}`,
 * which is how the program is called here.
 * `{detail}` is English, too. Where several texts fit (`forwardingTextIn`), the first one counts.
 */
export const FORWARDING_TEXTS = {
  redirect_unreadable: `redirect to an address that is none is not followed (HTTP {status}): ${SET_URL}`,
  redirect: `redirect to {address} is not followed (HTTP {status}): ${SET_URL}`,
  loop_here: "the destination leads back to this gateway's own listener (HTTP {status}): correct its URL",
  loop_elsewhere: 'answered HTTP {status}: the destination leads back to a system that this event has passed',
  answered: 'answered HTTP {status}',
  no_answer: 'no answer within {seconds} s',
  unexpected_answer: 'the answer does not fit the request (HTTP 100 or 101)',
  connection_broke: 'the connection broke before an answer came',
  no_http: 'the answer is not HTTP/1.1',
  no_http_detail: 'the answer is not HTTP/1.1: {detail}',
  headers_too_long: "the answer's headers are too long",
  request_impossible: 'the request cannot be made ({detail}): correct the headers of destination {name}',
  attempt_failed: 'the attempt failed: {detail}',
  bad_secret: 'the secret must be {detail}',
  interrupted: 'interrupted: the gateway stopped, or the destination was removed; the request may have arrived',
  interrupted_by_end: 'interrupted: the gateway ended before the outcome was on record; it may have arrived',
  interrupted_unrecorded: 'interrupted: nothing was recorded before its lease ended',
  stopping: 'the gateway is stopping',

  names_silent: 'the name servers did not answer within {seconds} s',
  names_unreachable: 'no name server could be reached',
  names_failed: 'the name servers failed ({code})',
  name_without_address: 'the name has no address',
  name_unknown: 'the name does not exist',
  name_lookup_failed: 'name lookup failed ({detail})',
  names_many: 'too many names are being looked up: try again in a few seconds',

  refused: 'connection refused',
  host_unreachable: 'host unreachable',
  network_unreachable: 'network unreachable',
  reset: 'connection reset',
  no_connection_in_time: 'no connection in time',
  no_connection: 'no connection ({detail})',

  resolved_address_forbidden: '{host} has the address {address}, which is not an allowed address ({detail}): {step}',
  address_forbidden: '{host} is not an allowed address ({detail}): {step}',
  allow_metadata: 'cloud metadata needs an entry for exactly this address, {address}, in forwarding.allowedNetworks',
  allow_loopback:
    'for a receiver on this machine add "loopback" to forwarding.allowedNetworks and reload the gateway ({command} reload)',
  allow_network: 'use a public address, or add its network to forwarding.allowedNetworks',
  resolved_plain_http:
    'plain http to {host} with the address {address} is not allowed: use https, or add its network to forwarding.allowedNetworks',
  plain_http: 'plain http to {host} is not allowed: use https, or add its network to forwarding.allowedNetworks',

  handshake_late: 'TLS handshake failed: not finished in time',
  handshake_closed: 'TLS handshake failed: the connection was closed',
  handshake_step: 'TLS handshake failed: {detail}; {step}',
  handshake: 'TLS handshake failed: {detail}',
  renew_certificate: 'renew the certificate at the destination, with its intermediates',
  check_clocks: 'check the clocks of both machines, and the dates of the certificate at the destination',
  other_names: "the certificate is for other names: correct the destination's URL, or the certificate",
  replace_certificate: 'replace the certificate at the destination',
  no_server_certificate: 'the certificate is not one for servers: replace it at the destination',
  no_tls: 'the port does not speak TLS: correct the port, or http',
  old_tls: 'the destination must speak TLS 1.2 or 1.3',
  nothing_in_common: 'destination and gateway have no cipher or curve in common',
  http2_only: 'the destination takes no HTTP/1.1 at this port, perhaps HTTP/2 alone: let it offer HTTP/1.1, too',
  client_certificate_wanted: 'the destination wants a client certificate: give the destination one that it trusts',
  client_certificate_refused:
    'the destination does not accept the client certificate: check its issuer and dates, and what the destination trusts',
  name_not_served: "the destination does not know this host name: correct the destination's URL, or the name there",
  refused_there: 'the destination refused the handshake: its own log has the reason',
  given_authorities:
    'the authorities given for this destination (--ca FILE) did not issue it, or it does not send its intermediate certificates',
  configure_authority:
    'if a private authority issued the certificate, name that authority: ca: FILE in its entry; if a public one did, let the destination send its intermediate certificates',
  name_authority:
    'if a private authority issued the certificate, name that authority: {command} destinations update {id} --ca FILE; if a public one did, let the destination send its intermediate certificates',

  schedule_used_up: 'schedule used up',
  too_old: 'older than forwarding.maxAge',
  too_old_to_send: 'not sent: older than forwarding.maxAge',
  skipped: 'skipped by an operator',
  replay_canceled: 'its replay was canceled',
  destination_removed: 'its destination was removed',
  redacted: 'its data was redacted',

  gone: 'it answered 410 Gone',
  paused: 'paused by an operator',
  paused_for: 'paused by an operator: {reason}',
  certificate_not_yet: `the client certificate {file} is valid only from {date}: check the clock or replace it; ${RESUMES}`,
  certificate_expired: `the client certificate {file} expired on {date}: replace it; ${RESUMES}`,
  certificate_unusable: `the client certificate cannot be used: {detail}; ${RESUMES}`,

  not_for_clients: `{subject} is not for TLS clients (its extended key usage), so servers refuse it: ${OTHER_CERTIFICATE}`,
  no_longer_for_clients: `{subject} is of {issuer}, which no longer issues certificates for TLS clients: its next renewal will be refused; ${OTHER_CERTIFICATE}`,
} as const
export type ForwardingCode = keyof typeof FORWARDING_TEXTS

type ValueNames<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | ValueNames<Rest> : never
type Names<C extends ForwardingCode> = Exclude<ValueNames<(typeof FORWARDING_TEXTS)[C]>, 'command'>
type Values<C extends ForwardingCode> = Readonly<Record<Names<C>, string | number>>

/** The whole English text. */
export function forwardingText<C extends ForwardingCode>(
  code: C,
  ...[values]: [Names<C>] extends [never] ? [] : [Values<C>]
): string {
  const given: Readonly<Record<string, string | number>> = { command: COMMAND, ...values }
  return FORWARDING_TEXTS[code].replaceAll(PLACE, (_, name: string) => String(given[name]))
}

const PLACE = /\{(\w+)\}/g

/** A text with its values; the value `step` is one itself. */
export interface ForwardingText {
  readonly code: ForwardingCode
  readonly values: Readonly<Record<string, string>>
  readonly step: ForwardingText | null
}

const CODES = Object.keys(FORWARDING_TEXTS) as ForwardingCode[]
const PATTERNS = CODES.map((code) => [code, patternOf(FORWARDING_TEXTS[code])] as const)

function patternOf(template: string): RegExp {
  const parts = template
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[.()/?+*]/g, '\\$&') : `(?<${part}>.+?)`))
  return new RegExp(`^${parts.join('')}$`, 's')
}

/** The text that `forwardingText` made; null: it is another one, such as one that was cut or masked. */
export function forwardingTextIn(text: string): ForwardingText | null {
  for (const [code, pattern] of PATTERNS) {
    const values = pattern.exec(text)?.groups ?? (text === FORWARDING_TEXTS[code] ? {} : null)
    const step = values?.step === undefined ? null : forwardingTextIn(values.step)
    if (values !== null && (values.step === undefined || step !== null)) return { code, values, step }
  }
  return null
}
