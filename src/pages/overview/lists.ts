import { spanText } from '../../domain/overview/reasons.ts'
import { kindKey } from '../../domain/realm.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { badge } from '../parts/badge.ts'
import { SETS } from '../parts/certificate-sets.ts'
import { decimalText } from '../parts/decimal.ts'
import { empty } from '../parts/empty.ts'
import { facts } from '../parts/facts.ts'
import { fileName } from '../parts/file-name.ts'
import { type Html, html } from '../parts/html.ts'
import { realmText } from '../parts/realm.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { kindLink, type TableLinks } from './places.ts'
import type { CertificateState, DestinationState, OverviewState, SearchLag } from './state.ts'

export const STATES: Readonly<Record<DestinationState['state'], Said>> = {
  active: say`active`,
  paused: say`paused`,
}

export const CIRCUITS: Readonly<Record<DestinationState['circuit'], Said>> = {
  closed: say`accepts`,
  open: say`accepts nothing`,
}

/** So that a page with 500 destinations stays small. The module keeps to it. */
const LISTED = 25

interface Part {
  readonly rows: Html
  readonly isEmpty: boolean
  readonly whenEmpty: string
}

/** A table, or the text instead of it; the module may exchange them. */
export function part(name: string, { rows, isEmpty, whenEmpty }: Part): Html {
  return html`<div data-part="${name}">
<div data-empty${!isEmpty && html` hidden`}>${empty(whenEmpty)}</div>
<div data-rows${isEmpty && html` hidden`}>${rows}</div>
</div>`
}

export function destinationsOf({ destinations }: OverviewState, t: Speaker, links: TableLinks): Html {
  const number = (title: string, cell: (one: DestinationState) => string | number) => ({ title, cell, isNumber: true })
  const rows = table<DestinationState>(
    t`Destinations`,
    [
      {
        title: t`Destination`,
        cell: ({ id, name }) => (links.destinations ? html`<a href="/ui/destinations/${id}">${name}</a>` : name),
      },
      { title: t`Owner`, cell: ({ owner }) => owner ?? '' },
      {
        title: t.in('overview')`State`,
        cell: ({ state }) => badge(t.of(STATES[state]), state === 'paused' ? 'warn' : 'good'),
      },
      {
        title: t`Receiver`,
        cell: ({ circuit }) => badge(t.of(CIRCUITS[circuit]), circuit === 'open' ? 'bad' : 'good'),
      },
      number(t`Pending`, ({ pending }) => pending),
      number(t`Blocked`, ({ blocked }) => blocked),
      number(t`Oldest`, ({ oldestSeconds }) => (oldestSeconds === null ? '' : spanText(oldestSeconds))),
    ],
    destinations.slice(0, LISTED),
  )
  const rest = destinations.length - LISTED
  return html`<h2>${t`Destinations`}</h2>
${part('destinations', { rows, isEmpty: destinations.length === 0, whenEmpty: t`There is no destination.` })}
<p data-more${rest <= 0 && html` hidden`}>${moreText(String(rest), t)}</p>`
}

export function silentKindsOf({ silentKinds }: OverviewState, t: Speaker, links: TableLinks): Html {
  const rows = table(
    t`Silent kinds`,
    [
      { title: t`Kind`, cell: ({ institution, kind }) => kindLink(kindKey(institution, kind), links, t) },
      {
        title: t`Last callback`,
        cell: ({ lastReceivedAt }) => (lastReceivedAt === null ? t`never` : timeOf(lastReceivedAt)),
      },
    ],
    silentKinds,
  )
  return html`<h2>${t`Silent kinds`}</h2>
${part('silentKinds', { rows, isEmpty: silentKinds.length === 0, whenEmpty: t`No kind is silent for longer than its alertAfter.` })}`
}

export function certificatesOf({ certificates }: OverviewState, t: Speaker): Html {
  const rows = table<CertificateState>(
    t`Certificates`,
    [
      { title: t`Certificate`, cell: ({ name }) => fileName(name) },
      {
        title: t`Set`,
        cell: ({ set }) => html`<a href="/ui/certificates?set=${set}">${t.of(SETS[set])}</a>`,
      },
      {
        title: t`Environment`,
        cell: ({ institution, environment }) => environment && realmText({ institution, environment }, t),
      },
      { title: t`Days left`, cell: ({ daysLeft }) => daysOf(daysLeft, t`cannot be read`), isNumber: true },
    ],
    certificates.slice(0, LISTED),
  )
  const rest = certificates.length - LISTED
  return html`<h2>${t`Certificates`}</h2>
${part('certificates', { rows, isEmpty: certificates.length === 0, whenEmpty: t`No certificate is known yet.` })}
${rest > 0 && html`<p>${t`There are ${{ count: rest }} more, which end later.`}</p>`}`
}

function daysOf(days: number | null, unreadable: string): Html {
  if (days === null) return badge(unreadable, 'warn')
  if (days > 14) return html`${days}`
  return badge(String(days), days <= 3 ? 'bad' : 'warn')
}

export function storageOf({ freeSpace, search }: OverviewState, t: Speaker): Html {
  return html`<h2>${t`Storage and search`}</h2>
${facts([
  ...(freeSpace === null ? [] : freeSpaceFacts(freeSpace, t)),
  [t`Search`, html`<span data-value="search">${searchText(search, t)}</span>`],
])}`
}

function freeSpaceFacts(
  { freeBytes, minFreeBytes }: NonNullable<OverviewState['freeSpace']>,
  t: Speaker,
): [string, string | Html][] {
  const shown = freeBytes === null ? t`unknown` : sizeText(freeBytes, t)
  return [
    [t`Free space`, html`<span data-value="freeBytes">${shown}</span>`],
    [t`The gateway saves space below`, sizeText(minFreeBytes, t)],
  ]
}

function searchText(search: SearchLag | null, t: Speaker): string {
  if (search === null) return t`unknown`
  const { isRebuilding, lagEvents, lagSeconds } = search
  if (!isRebuilding && lagEvents === 0) return t`finds every event`
  return isRebuilding ? rebuildingText(lagEvents, t) : behindText(spanText(lagSeconds), lagEvents, t)
}

/** For the page and, with places for the values, for its module. */
export function moreText(count: string, t: Speaker): string {
  return t`There are ${{ count }} more, with newer or no pending deliveries.`
}

export function rebuildingText(count: number | string, t: Speaker): string {
  return t`is being made again; events to go: ${{ count }}`
}

export function behindText(span: string, count: number | string, t: Speaker): string {
  return t`${{ span }} behind; events to go: ${{ count }}`
}

function sizeText(bytes: number, t: Speaker): string {
  const [unit, size] = bytes >= 1024 ** 3 ? ['GiB', 1024 ** 3] : ['MiB', 1024 ** 2]
  return `${decimalText(bytes / size, t, 1)} ${unit}`
}
