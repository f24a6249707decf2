import type { Scope } from '../../domain/scopes.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { Viewer } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { PLACE_TEXTS, type PlaceText } from '../overview/places.ts'
import { type Html, html } from '../parts/html.ts'

/** A page that mends what a finding says, or shows more of it. */
interface Place {
  readonly text: PlaceText
  readonly path: string
  readonly scope: Scope
  /** Only the operator has the button there. */
  readonly isOperators?: true
}

const DESTINATION: Place = { text: 'destination', path: '/ui/destinations', scope: 'destinations.read' }
const CERTIFICATES: Place = { text: 'certificates', path: '/ui/certificates', scope: 'operations.read' }

const REFUSALS: Place = { text: 'refusals', path: '/ui/refusals', scope: 'operations.read' }

const PLACES: Readonly<Record<string, readonly Place[]>> = {
  callbacks_refused: [REFUSALS],
  'trust.refused_usage': [REFUSALS],
  clock_implausible: [{ text: 'clock', path: '/ui/check#clock', scope: 'operations.read', isOperators: true }],
  outage: [
    { text: 'reconcile', path: '/ui/gaps#reconcile', scope: 'operations.write' },
    { text: 'gaps', path: '/ui/gaps', scope: 'operations.read' },
  ],
  outage_lost: [
    { text: 'reconcile', path: '/ui/gaps#reconcile', scope: 'operations.write' },
    { text: 'gaps', path: '/ui/gaps', scope: 'operations.read' },
  ],
  kind_silent: [REFUSALS],
  kind_never: [REFUSALS],
  backlog_old: [DESTINATION],
  circuit_open: [DESTINATION],
  subjects_held: [DESTINATION],
  certificate_expired: [CERTIFICATES],
  certificate_expiring: [CERTIFICATES],
  certificate_unreadable: [CERTIFICATES],
  quarantine_waiting: [{ text: 'quarantine', path: '/ui/quarantine', scope: 'operations.read' }],
  alarm_failing: [{ text: 'alarms', path: '/ui/alarms', scope: 'operations.read' }],
  'alarms.file_unusable': [{ text: 'alarms', path: '/ui/alarms', scope: 'operations.read' }],
  'forwarding.none': [
    { text: 'newDestination', path: '/ui/destinations/new', scope: 'destinations.write' },
    { text: 'newClient', path: '/ui/clients/new', scope: 'operations.read', isOperators: true },
  ],
  destination_paused: [{ ...DESTINATION, text: 'resume' }],
  'destination.unreachable': [DESTINATION],
  'destination.silent': [DESTINATION],
  'destination.institution': [DESTINATION],
  'destination.client_certificate': [CERTIFICATES],
  'certificate.expired': [CERTIFICATES],
  'certificate.urgent': [CERTIFICATES],
  'certificate.expiring': [CERTIFICATES],
  'certificate.not_renewed': [CERTIFICATES],
  'certificate.usage': [CERTIFICATES],
  'trust.unusable': [CERTIFICATES],
  'trust.remark': [CERTIFICATES],
  'trust.test_ca': [CERTIFICATES],
  'trust.caller_usage': [CERTIFICATES],
  'service.chain': [CERTIFICATES],
}

/** Links to the pages that the person may open. A finding about a destination has its name. */
export function linksFor(
  { code, what }: { readonly code: string; readonly what: string },
  viewer: Viewer,
  t: Speaker,
): Html[] {
  const places = Object.hasOwn(PLACES, code) ? (PLACES[code] ?? []) : []
  return places
    .filter(({ scope, isOperators }) => (isOperators ? viewer.name === null : viewer.can(scope)))
    .map(({ text, path }) => {
      const target = path === DESTINATION.path ? withQuery(path, { name: what }) : path
      return html` <a href="${target}">${t.of(PLACE_TEXTS[text])}</a>`
    })
}
