import { COMMAND } from '../../platform/installation.ts'
import { ALARM_FAILURE_CODES, ALARM_FAILURES, type AlarmFailureCode } from '../alarms/failure.ts'

export type ReasonSeverity = 'problem' | 'warning'

/** Why the light of an overview is not green. */
export interface Reason {
  readonly severity: ReasonSeverity
  readonly code: ReasonCode
  /** What it is about, such as a destination's name; null: the gateway. */
  readonly subject: string | null
  /** Id of the destination; of a consumer the id of its owner, or `operator`, and its name: `operator/books`; null: it is about neither. */
  readonly about: string | null
  /** Seconds, days or a number of things, by the code; null: none. */
  readonly value: number | null
  /** Words of the part that has the problem, mostly behind a code of `DETAIL_TEXTS` and a colon; null: the text says it all. */
  readonly detail: string | null
  /** Until about when the first callback that was not taken is sent again, such as `2026-11-27T14:00Z`; null: unknown. */
  readonly until: string | null
  readonly text: string
  /** The next step. */
  readonly nextStep: string
  /** Further subjects with the same reason, which are not listed. */
  readonly others: number
}

export const REASON_CODES = [
  'not_ready',
  'callbacks_failing',
  'callbacks_refused',
  'outage_lost',
  'outage',
  'kind_silent',
  'kind_never',
  'acknowledge_slow',
  'clock_implausible',
  'writer_silent',
  'store_unreadable',
  'nodes_unheard',
  'space_out',
  'space_short',
  'certificate_expired',
  'certificate_expiring',
  'certificate_unreadable',
  'trust_closed',
  'files_not_renewed',
  'configuration_not_reloaded',
  'configuration_needs_restart',
  'backlog_old',
  'circuit_open',
  'destination_paused',
  'subjects_held',
  'consumer_behind',
  'quarantine_waiting',
  'service_failing',
  'tokens_waiting',
  'tokens_many',
  'search_behind',
  'alarm_failing',
] as const
export type ReasonCode = (typeof REASON_CODES)[number]

/** More charge tokens wait only where the service fails for long, or somebody sends tokens that it does not know. */
export const MANY_TOKENS = 1000

/**
 * In a text, `{subject}`, `{detail}` and `{until}` are replaced, `{count}` by the value and `{span}` by the value as a span of seconds. What is in
 * brackets is left out where `until` is unknown.
 */
export interface ReasonText {
  readonly text: string
  readonly nextStep: string
}

export const REASON_TEXTS: Readonly<Record<ReasonCode, ReasonText>> = {
  not_ready: {
    text: 'callbacks are not accepted: {detail}',
    nextStep: `run "${COMMAND} check" on the gateway's machine; the gateway recovers by itself once the cause is gone`,
  },
  callbacks_failing: {
    text: 'callbacks of the last 5 minutes that could not be stored and were answered 503: {count}[; the first is sent again until about {until}: count it as lost after that]',
    nextStep: 'the log says why (callback.failed); the service repeats them for a limited time',
  },
  callbacks_refused: {
    text: 'callbacks of identified callers that were refused in the last 24 hours: {count}, {subject} ({detail})[; the first is sent again until about {until}: count it as lost after that]',
    nextStep: `they are lost if the service gives up: "${COMMAND} check" names the remedy; this ends a day after the last one`,
  },
  outage_lost: {
    text: 'callbacks first sent {detail} were given up by the service',
    nextStep: `ask the service for what they said: "${COMMAND} service reconcile"`,
  },
  outage: {
    text: 'callbacks were not accepted: {detail}[; the service sends them again until about {until}]',
    nextStep: `"${COMMAND} service reconcile" asks the service for what changed meanwhile`,
  },
  kind_silent: {
    text: 'no callback of kind {subject} has come for {span}',
    nextStep: `look at the refused callers ("${COMMAND} refusals list"), then check the registered address ("${COMMAND} probe")`,
  },
  kind_never: {
    text: 'no callback of kind {subject} has ever come',
    nextStep: `register the address at the service and test it ("${COMMAND} probe"), or remove alertAfter of the kind`,
  },
  acknowledge_slow: {
    text: 'callbacks are acknowledged slowly: 1 of 100 took more than {span}',
    nextStep: 'look for a slow disk: iostat, and portaria_commit_seconds in the metrics',
  },
  clock_implausible: {
    text: '{detail}',
    nextStep: `set the clock, or run "${COMMAND} storage confirm-clock" if it is right; until then nothing is removed or expires by age`,
  },
  writer_silent: {
    text: 'the database has not confirmed a write for {span}',
    nextStep: 'look at the disk (dmesg, iostat); the gateway restarts under systemd after 40 s',
  },
  store_unreadable: {
    text: 'the database cannot be read, so backlogs are unknown',
    nextStep: 'the log says why (metrics.incomplete)',
  },
  nodes_unheard: {
    text: 'changes of other nodes have not been heard for {span}, only looked for twice a second: {detail}',
    nextStep:
      'look at the database and the way to it: each node needs a connection of its own that listens (docs/several-nodes.md)',
  },
  space_out: {
    text: 'the disk is nearly full: new callbacks are answered 503',
    nextStep: 'free some space at once; what is stored is delivered meanwhile',
  },
  space_short: {
    text: 'the disk runs full: refusals and answers of destinations are no longer recorded',
    nextStep: 'free some space, or shorten storage.retention',
  },
  certificate_expired: {
    text: 'the certificate {subject} has expired',
    nextStep: `replace it now; "${COMMAND} certs check" names the file or the owner`,
  },
  certificate_expiring: {
    text: 'the certificate {subject} expires soon; days left: {count}',
    nextStep: `renew it; "${COMMAND} certs check" names the file or the owner`,
  },
  certificate_unreadable: {
    text: 'the certificate file {subject} cannot be read, so its end is unknown',
    nextStep: `"${COMMAND} certs check" says why; until then what is in use stays in use`,
  },
  trust_closed: {
    text: 'callers of {subject} are refused: a file of their chain cannot be used: {detail}',
    nextStep: `correct the file; the gateway takes it up by itself. "${COMMAND} certs trust list" shows which chains are in use`,
  },
  files_not_renewed: {
    text: '{subject} could not be renewed: {detail}',
    nextStep: 'correct the file: until then what is in use stays in use',
  },
  configuration_not_reloaded: {
    text: 'the configuration file could not be taken up: {detail}',
    nextStep: `correct the file, then "${COMMAND} reload"; until then the earlier one stays in use, and the gateway would not start`,
  },
  configuration_needs_restart: {
    text: 'keys of the configuration file wait for a restart: {detail}',
    nextStep: 'restart the gateway, or write the earlier values back and reload',
  },
  backlog_old: {
    text: 'deliveries to the destination {subject} have waited for {span}',
    nextStep: `"${COMMAND} destinations show NAME" has the last failure; resume a paused destination`,
  },
  circuit_open: {
    text: 'the destination {subject} keeps failing: the gateway tries it from time to time',
    nextStep: `look at its last answers ("${COMMAND} deliveries list --state pending"); deliveries continue as soon as it accepts one`,
  },
  destination_paused: {
    text: 'the destination {subject} is paused: its deliveries wait',
    nextStep: `resume it when its receiver is ready ("${COMMAND} destinations resume NAME")`,
  },
  subjects_held: {
    text: 'references whose events wait, because the destination {subject} did not accept an earlier one: {count}',
    nextStep: `retry or skip it: "${COMMAND} deliveries list --state exhausted"`,
  },
  consumer_behind: {
    text: 'the consumer {subject} is {span} behind',
    nextStep: `start its app; if no app uses it any more, "${COMMAND} consumers delete NAME"`,
  },
  quarantine_waiting: {
    text: 'facts in quarantine that wait for a decision: {count}',
    nextStep: `release or discard them: "${COMMAND} quarantine list"`,
  },
  service_failing: {
    text: "calls of the service's interface {subject} fail",
    nextStep: `"${COMMAND} service status" says why; callbacks are received and forwarded meanwhile`,
  },
  tokens_waiting: {
    text: 'charge tokens of {subject} have waited for their entries for {span}',
    nextStep: `"${COMMAND} service status" says why`,
  },
  tokens_many: {
    text: 'charge tokens of {subject} that wait: {count}, many more than charges change',
    nextStep: `if the service answers ("${COMMAND} service status"), somebody sends tokens that it does not know: replace the token of the charge listener's path (chargeNotifications.tokens), or limit chargeNotifications.allowedAddresses`,
  },
  search_behind: {
    text: 'the search is {span} behind: it does not find newer events yet',
    nextStep: 'wait; if it does not catch up, look for search events in the log',
  },
  alarm_failing: {
    text: 'alarms cannot be sent by the channel {subject}: {detail}',
    nextStep:
      'correct the channel in the section alarms of the configuration; what is not sent yet is tried again for a day',
  },
}

/** Texts of details by their codes. `{words}` is the part after the colon. */
export type DetailTexts = Readonly<Record<DetailCode, string>>
export type DetailCode = (typeof DETAIL_CODES)[number]

/** Failed checks of `/readyz`, and failures of alarms. */
export const DETAIL_CODES = ['listener', 'writer', 'migrations', ...ALARM_FAILURE_CODES] as const

export const DETAIL_TEXTS = Object.fromEntries(
  DETAIL_CODES.map((code) => [
    code,
    code in ALARM_FAILURES ? ALARM_FAILURES[code as AlarmFailureCode].text : '{words}',
  ]),
) as DetailTexts

/** A detail in the language of the texts. Without a code it is a time, or words of others. */
export function detailText(detail: string, texts: DetailTexts): string {
  const [, code = '', words = ''] = /^([a-z_]+)(?:: (.*))?$/s.exec(detail) ?? []
  return Object.hasOwn(texts, code) ? texts[code as DetailCode].replaceAll('{words}', () => words) : detail
}

/** A text of a reason, in any language, with its values. */
export function filledIn(
  template: string,
  { subject, value, detail, until }: Pick<Reason, 'subject' | 'value' | 'detail' | 'until'>,
  details: DetailTexts = DETAIL_TEXTS,
): string {
  const values: Record<string, string> = {
    subject: subject ?? '',
    detail: detail === null ? '' : detailText(detail, details),
    until: until ?? '',
    count: String(value ?? 0),
    span: spanText(value ?? 0),
  }
  const shown = template.replace(/\[(.*)\]/, until === null ? '' : '$1')
  return shown.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
}

/** In units that every language writes alike, the two largest ones. @param seconds less than a second in ms */
export function spanText(seconds: number): string {
  if (seconds <= 0) return '0 s'
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
