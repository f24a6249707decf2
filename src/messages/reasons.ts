import type { NoticeCode } from '../domain/alarms/alarm.ts'
import { NOTICE_TEXTS } from '../domain/alarms/notices.ts'
import {
  DETAIL_TEXTS,
  type DetailCode,
  type DetailTexts,
  REASON_TEXTS,
  type ReasonCode,
  type ReasonText,
} from '../domain/overview/reasons.ts'
import { type Said, say } from './say.ts'
import type { Speaker } from './speaker.ts'

/** For people without a shell. Those of the API and the command line are in REASON_TEXTS. */
export const STEPS: Readonly<Record<ReasonCode, Said>> = {
  not_ready: say`run the check, which names the cause; the gateway recovers by itself once it is gone`,
  callbacks_failing: say`the operator finds the cause in the log (callback.failed); the service repeats them for a limited time`,
  callbacks_refused: say`they are lost if the service gives up: the check names the remedy; this ends a day after the last one`,
  outage_lost: say`ask the service for what they said, on the page of the gaps`,
  outage: say`the page of the gaps asks the service for what changed meanwhile`,
  kind_silent: say`see whether callers were refused, then run the check; the operator tests the registered address from outside`,
  kind_never: say`register the address at the service; the operator tests it from outside, or removes alertAfter of the kind`,
  acknowledge_slow: say`the operator of the machine searches for a slow disk`,
  clock_implausible: say`the operator of the machine sets the clock; if it is right, the operator confirms it on the page of the check; until then nothing is removed or expires by age`,
  writer_silent: say`the operator of the machine searches for a failing disk; the gateway restarts under systemd after 40 s`,
  store_unreadable: say`the operator finds the cause in the log (metrics.incomplete)`,
  nodes_unheard: say`the operator looks at PostgreSQL and the way to it: each node needs a connection of its own that listens`,
  space_out: say`the operator of the machine frees some space at once; stored events are delivered meanwhile`,
  space_short: say`the operator of the machine frees some space, or shortens storage.retention`,
  certificate_expired: say`the operator or its owner replaces it now`,
  certificate_expiring: say`the operator or its owner renews it`,
  certificate_unreadable: say`the operator of the machine reads the list of certificates, which says why; the certificate in use stays in use until a restart`,
  trust_closed: say`the operator of the machine corrects the file; the gateway takes it up by itself`,
  files_not_renewed: say`the operator of the machine corrects the file; until then what is in use stays in use`,
  configuration_not_reloaded: say`the operator of the machine corrects the file and reloads it; the earlier one stays in use`,
  configuration_needs_restart: say`the operator of the machine restarts the gateway`,
  backlog_old: say`its page has the last failure, and resumes it where it is paused`,
  circuit_open: say`its page has the last answers; deliveries continue as soon as it accepts one`,
  destination_paused: say`resume it on its page when its receiver is ready`,
  subjects_held: say`retry or skip the delivery on the page of the destination`,
  consumer_behind: say`start its app; if no app uses it any more, delete it on its page`,
  quarantine_waiting: say`release or discard them`,
  service_failing: say`the check says why; callbacks are received and forwarded meanwhile`,
  tokens_waiting: say`the check says why`,
  tokens_many: say`if the check finds that the service answers, somebody sends tokens that it does not know: the operator replaces the token of the charge listener's path (chargeNotifications.tokens), or limits chargeNotifications.allowedAddresses`,
  alarm_failing: say`the page of the alarms has the next step, and tests the channel; what is not sent yet is tried again for a day`,
  search_behind: say`wait; if it does not catch up, the operator searches the log for search events`,
}

/** Where that of the API names a command. */
const TEXTS: Readonly<Partial<Record<ReasonCode, string>>> = { clock_implausible: 'the clock is not plausible' }

/** A reason of the overview, or a notice, before its values are filled in; null: a newer gateway has it. */
export function reasonIn(code: string, t: Speaker): ReasonText | null {
  if (Object.hasOwn(NOTICE_TEXTS, code)) {
    const { text, nextStep } = NOTICE_TEXTS[code as NoticeCode]
    return { text: t.template(text), nextStep: t.template(nextStep) }
  }
  if (!Object.hasOwn(STEPS, code)) return null
  const known = code as ReasonCode
  return { text: t.template(TEXTS[known] ?? REASON_TEXTS[known].text, 'overview'), nextStep: t.of(STEPS[known]) }
}

/** What the details of reasons say. English has the words of the part itself, where Portuguese has words by its code. */
export function detailsIn(t: Speaker): DetailTexts {
  const own = Object.entries(DETAIL_TEXTS).map(([code, text]) => [
    code,
    t.template(text, text === '{words}' ? code : undefined),
  ])
  return Object.fromEntries(own) as Record<DetailCode, string>
}
