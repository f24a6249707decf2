import {
  DETAIL_TEXTS,
  REASON_CODES,
  REASON_TEXTS,
  type ReasonCode,
  type ReasonText,
} from '../../domain/overview/reasons.ts'

/** For people without a shell. Those of the API and the command line are in REASON_TEXTS. */
export const STEPS: Readonly<Record<ReasonCode, string>> = {
  not_ready: 'run the check, which names the cause; the gateway recovers by itself once it is gone',
  callbacks_failing:
    'the operator finds the cause in the log (callback.failed); the service repeats them for a limited time',
  callbacks_refused:
    'they are lost if the service gives up: the check names the remedy; this ends a day after the last one',
  outage_lost: 'ask the service for what they said, on the page of the gaps',
  outage: 'the page of the gaps asks the service for what changed meanwhile',
  kind_silent:
    'see whether callers were refused, then run the check; the operator tests the registered address from outside',
  kind_never:
    'register the address at the service; the operator tests it from outside, or removes alertAfter of the kind',
  acknowledge_slow: 'the operator of the machine searches for a slow disk',
  clock_implausible:
    'the operator of the machine sets the clock; if it is right, the operator confirms it on the page of the check; until then nothing is removed or expires by age',
  writer_silent:
    'the operator of the machine searches for a failing disk; the gateway restarts under systemd after 40 s',
  store_unreadable: 'the operator finds the cause in the log (metrics.incomplete)',
  nodes_unheard:
    'the operator looks at PostgreSQL and the way to it: each node needs a connection of its own that listens',
  space_out: 'the operator of the machine frees some space at once; stored events are delivered meanwhile',
  space_short: 'the operator of the machine frees some space, or shortens storage.retention',
  certificate_expired: 'the operator or its owner replaces it now',
  certificate_expiring: 'the operator or its owner renews it',
  certificate_unreadable:
    'the operator of the machine reads the list of certificates, which says why; the certificate in use stays in use until a restart',
  trust_closed: 'the operator of the machine corrects the file; the gateway takes it up by itself',
  files_not_renewed: 'the operator of the machine corrects the file; until then what is in use stays in use',
  configuration_not_reloaded:
    'the operator of the machine corrects the file and reloads it; the earlier one stays in use',
  configuration_needs_restart: 'the operator of the machine restarts the gateway',
  backlog_old: 'its page has the last failure, and resumes it where it is paused',
  circuit_open: 'its page has the last answers; deliveries continue as soon as it accepts one',
  destination_paused: 'resume it on its page when its receiver is ready',
  subjects_held: 'retry or skip the delivery on the page of the destination',
  consumer_behind: 'start its app; if no app uses it any more, delete it on its page',
  quarantine_waiting: 'release or discard them',
  service_failing: 'the check says why; callbacks are received and forwarded meanwhile',
  tokens_waiting: 'the check says why',
  tokens_many:
    "if the check finds that the service answers, somebody sends tokens that it does not know: the operator replaces the token of the charge listener's path (chargeNotifications.tokens), or limits chargeNotifications.allowedAddresses",
  alarm_failing:
    'the page of the alarms has the next step, and tests the channel; what is not sent yet is tried again for a day',
  search_behind: 'wait; if it does not catch up, the operator searches the log for search events',
}

/** Where that of the API names a command. */
const TEXTS: Readonly<Partial<Record<ReasonCode, string>>> = { clock_implausible: 'the clock is not plausible' }

const REASONS = Object.fromEntries(
  REASON_CODES.map((code) => [code, { text: TEXTS[code] ?? REASON_TEXTS[code].text, nextStep: STEPS[code] }]),
) as Readonly<Record<ReasonCode, ReasonText>>

/** The page that shows the state of the gateway. Texts with braces are filled in by the page and by its module. */
export const OVERVIEW = {
  title: 'Overview',
  light: 'State',
  lights: {
    green: 'Green: all is well',
    yellow: 'Yellow: look at it in the next days',
    red: 'Red: act now',
  },
  severities: { problem: 'problem', warning: 'warning' },
  noReasons: 'Nothing needs attention.',
  environments: {} as Readonly<Record<string, string>>,
  others: 'and {count} more with the same reason',
  reasons: REASONS,
  details: DETAIL_TEXTS,
  places: {
    check: 'Run the check',
    clock: 'Confirm the clock',
    reconcile: 'Ask the service',
    alarms: 'Test the channel',
    refusals: 'Refused callers',
    gaps: 'What was missed',
    certificates: 'Certificates',
    destination: 'Open the destination',
    resume: 'Resume the destination',
    held: 'Deliveries that failed',
    consumer: 'Open the consumer',
    quarantine: 'Release or discard',
    newDestination: 'Create a destination',
    newClient: 'Create a client',
  },
  live: 'The numbers follow the gateway.',
  lost: 'The connection to the gateway is lost: these numbers are old. It is tried again.',
  callbacks: 'Callbacks per minute',
  callbacksPlot:
    'Plot of the accepted callbacks per minute and kind in the last hour. The table below it has the numbers.',
  plotKeys: 'The arrow keys lead from minute to minute.',
  fewPoints: 'There is one value at most so far: the plot begins with the second.',
  numbers: 'Numbers of each minute',
  minute: 'Minute',
  callbacksSince: 'Accepted callbacks since the gateway started, at most of the last hour.',
  kind: 'Kind',
  thisMinute: 'This minute',
  lastMinute: 'Last minute',
  fiveMinutes: '5 minutes',
  hour: 'Hour',
  noCallbacks: 'No kind is configured.',
  waiting: 'Waiting deliveries',
  waitingText: 'The most of each minute, of all destinations.',
  waitingPlot: 'Plot of the deliveries that waited, per minute in the last hour.',
  latency: 'Time to acknowledge',
  latencyPlot: 'Plot of the time within which 99 of 100 callbacks were acknowledged, per minute in the last hour.',
  latencyText: 'From the end of a callback to its 200, in the last 5 minutes.',
  p50: 'Half of the callbacks within',
  p99: '99 of 100 within',
  noLatency: 'no callback came',
  destinations: 'Destinations',
  destination: 'Destination',
  owner: 'Owner',
  state: 'State',
  states: { active: 'active', paused: 'paused' },
  circuit: 'Circuit',
  circuits: { closed: 'closed', open: 'open' },
  pending: 'Pending',
  blocked: 'Blocked',
  oldest: 'Oldest',
  noDestinations: 'There is no destination.',
  moreDestinations: 'There are {count} more, with newer or no pending deliveries.',
  silentKinds: 'Silent kinds',
  silentSince: 'Last callback',
  never: 'never',
  noSilentKinds: 'No kind is silent for longer than its alertAfter.',
  certificates: 'Certificates',
  certificate: 'Certificate',
  set: 'Set',
  environment: 'Environment',
  daysLeft: 'Days left',
  unreadable: 'cannot be read',
  noCertificates: 'No certificate is known yet.',
  moreCertificates: 'There are {count} more, which end later.',
  storage: 'Storage and search',
  freeSpace: 'Free space',
  minFreeSpace: 'The gateway saves space below',
  unknown: 'unknown',
  search: 'Search',
  searchCurrent: 'finds every event',
  searchBehind: '{span} behind; events to go: {count}',
  searchRebuilding: 'is being made again; events to go: {count}',
} as const
