import { type AlarmCode, isNotice } from '../../domain/alarms/alarm.ts'
import type { ReasonCode } from '../../domain/overview/reasons.ts'
import type { Scope } from '../../domain/scopes.ts'
import { say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { Viewer } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { type Html, html } from '../parts/html.ts'
import { kindWord } from '../parts/kind-word.ts'
import type { ReasonState } from './state.ts'

/** Of the links to pages that mend something, or say more. */
export const PLACE_TEXTS = {
  check: say`Run the check`,
  clock: say`Confirm the clock`,
  reconcile: say`Ask the service`,
  alarms: say`Test the channel`,
  refusals: say`Refused callers`,
  gaps: say`What was missed`,
  certificates: say`Certificates`,
  destination: say`Open the destination`,
  resume: say`Resume the destination`,
  held: say`Deliveries that failed`,
  consumer: say`Open the consumer`,
  quarantine: say`Release or discard`,
  newDestination: say`Create a destination`,
  newClient: say`Create a client`,
}
export type PlaceText = keyof typeof PLACE_TEXTS

/** A page that a reason leads to: what it is about, or where the button is that mends it. */
interface Place {
  readonly text: PlaceText
  /** `{about}` is replaced; without it the place is left out. */
  readonly path: string
  /** Any of them opens the page. */
  readonly scopes: readonly Scope[]
  /** Only the operator has the button there. */
  readonly isOperators?: true
}

/** For the page and for its module, with their texts. */
export type Places = Readonly<Partial<Record<ReasonCode, readonly { readonly text: string; readonly path: string }[]>>>

const OPERATIONS: readonly Scope[] = ['operations.read']
const CHECK: Place = { text: 'check', path: '/ui/check', scopes: OPERATIONS }
const REFUSALS: Place = { text: 'refusals', path: '/ui/refusals', scopes: OPERATIONS }
const GAPS: Place = { text: 'gaps', path: '/ui/gaps', scopes: ['operations.read', 'events.read'] }
const RECONCILE: Place = { text: 'reconcile', path: '/ui/gaps#reconcile', scopes: ['operations.write'] }
const CLOCK: Place = { text: 'clock', path: '/ui/check#clock', scopes: OPERATIONS, isOperators: true }
const CERTIFICATES: Place = { text: 'certificates', path: '/ui/certificates', scopes: OPERATIONS }
const DESTINATION: Place = {
  text: 'destination',
  path: '/ui/destinations/{about}#deliveries',
  scopes: ['destinations.read'],
}

const PLACES: Readonly<Record<ReasonCode, readonly Place[]>> = {
  not_ready: [CHECK],
  callbacks_failing: [CHECK],
  callbacks_refused: [REFUSALS, CHECK],
  outage_lost: [RECONCILE, GAPS],
  outage: [RECONCILE, GAPS],
  kind_silent: [REFUSALS, CHECK],
  kind_never: [REFUSALS, CHECK],
  acknowledge_slow: [CHECK],
  clock_implausible: [CLOCK],
  writer_silent: [CHECK],
  store_unreadable: [CHECK],
  nodes_unheard: [CHECK],
  space_out: [CHECK],
  space_short: [CHECK],
  certificate_expired: [CERTIFICATES],
  certificate_expiring: [CERTIFICATES],
  certificate_unreadable: [CERTIFICATES],
  trust_closed: [CERTIFICATES],
  files_not_renewed: [CERTIFICATES],
  configuration_not_reloaded: [CHECK],
  configuration_needs_restart: [CHECK],
  backlog_old: [DESTINATION],
  circuit_open: [DESTINATION],
  destination_paused: [{ text: 'resume', path: '/ui/destinations/{about}#actions', scopes: ['destinations.read'] }],
  subjects_held: [
    { text: 'held', path: '/ui/destinations/{about}?state=exhausted#deliveries', scopes: ['destinations.read'] },
  ],
  consumer_behind: [{ text: 'consumer', path: '/ui/consumers/{about}', scopes: ['events.read'] }],
  quarantine_waiting: [{ text: 'quarantine', path: '/ui/quarantine', scopes: OPERATIONS }],
  service_failing: [CHECK],
  tokens_waiting: [CHECK],
  tokens_many: [CHECK],
  alarm_failing: [{ text: 'alarms', path: '/ui/alarms', scopes: OPERATIONS }],
  search_behind: [CHECK],
}

/** Those that the person may open. */
export function placesFor(viewer: Viewer, t: Speaker): Places {
  const open = Object.entries(PLACES).map(([code, places]) => [
    code,
    places
      .filter(({ scopes, isOperators }) =>
        isOperators ? viewer.name === null : scopes.some((scope) => viewer.can(scope)),
      )
      .map(({ text, path }) => ({ text: t.of(PLACE_TEXTS[text]), path })),
  ])
  return Object.fromEntries(open) as Places
}

/** Whether names in the tables lead to the pages of destinations, and to the search. */
export interface TableLinks {
  readonly destinations: boolean
  readonly find: boolean
}

export function linksFor(viewer: Viewer): TableLinks {
  return {
    destinations: viewer.can('destinations.read'),
    find: viewer.can('events.read') || viewer.can('support.read'),
  }
}

/** The events of a kind, `bank-a/payment` where the institution has a name. */
export function kindLink(kind: string, { find }: TableLinks, t: Speaker): Html {
  const [institution, name] = kind.includes('/') ? kind.split('/', 2) : ['', kind]
  const shown = find ? html`<a href="${withQuery('/ui/', { kind: name, institution })}">${kind}</a>` : kind
  const word = kindWord(name ?? '', t)
  return html`${shown}${word !== null && html` <span class="hint">${word}</span>`}`
}

export function linksOf({ code, about }: ReasonState, places: Places): Html[] {
  return (places[code] ?? [])
    .filter(({ path }) => about !== null || !path.includes('{about}'))
    .map(({ text, path }) => html` <a href="${path.replace('{about}', pathIn(about ?? ''))}">${text}</a>`)
}

/** The path of the page that an alarm leads to. */
export function pageAbout(code: AlarmCode, about: string | null): string {
  if (isNotice({ code })) return code === 'subjects_silent' ? GAPS.path : CERTIFICATES.path
  const [{ path } = CHECK] = PLACES[code as ReasonCode]
  if (about === null && path.includes('{about}')) return '/ui/overview'
  return path.replace('{about}', pathIn(about ?? ''))
}

function pathIn(about: string): string {
  return about.split('/').map(encodeURIComponent).join('/')
}
