import { spanText } from '../../domain/overview/reasons.ts'
import { kindKey } from '../../domain/realm.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { badge } from '../parts/badge.ts'
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

/** So that a page with 500 destinations stays small. The module keeps to it. */
const LISTED = 50

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

export function destinationsOf({ destinations }: OverviewState, { overview }: Catalogue, links: TableLinks): Html {
  const number = (title: string, cell: (one: DestinationState) => string | number) => ({ title, cell, isNumber: true })
  const rows = table<DestinationState>(
    overview.destinations,
    [
      {
        title: overview.destination,
        cell: ({ id, name }) => (links.destinations ? html`<a href="/ui/destinations/${id}">${name}</a>` : name),
      },
      { title: overview.owner, cell: ({ owner }) => owner ?? '' },
      {
        title: overview.state,
        cell: ({ state }) => badge(overview.states[state], state === 'paused' ? 'warn' : 'good'),
      },
      {
        title: overview.circuit,
        cell: ({ circuit }) => badge(overview.circuits[circuit], circuit === 'open' ? 'bad' : 'good'),
      },
      number(overview.pending, ({ pending }) => pending),
      number(overview.blocked, ({ blocked }) => blocked),
      number(overview.oldest, ({ oldestSeconds }) => (oldestSeconds === null ? '' : spanText(oldestSeconds))),
    ],
    destinations.slice(0, LISTED),
  )
  const rest = destinations.length - LISTED
  return html`<h2>${overview.destinations}</h2>
${part('destinations', { rows, isEmpty: destinations.length === 0, whenEmpty: overview.noDestinations })}
<p data-more${rest <= 0 && html` hidden`}>${overview.moreDestinations.replace('{count}', String(rest))}</p>`
}

export function silentKindsOf({ silentKinds }: OverviewState, words: Catalogue, links: TableLinks): Html {
  const { overview } = words
  const rows = table(
    overview.silentKinds,
    [
      { title: overview.kind, cell: ({ institution, kind }) => kindLink(kindKey(institution, kind), links, words) },
      {
        title: overview.silentSince,
        cell: ({ lastReceivedAt }) => (lastReceivedAt === null ? overview.never : timeOf(lastReceivedAt)),
      },
    ],
    silentKinds,
  )
  return html`<h2>${overview.silentKinds}</h2>
${part('silentKinds', { rows, isEmpty: silentKinds.length === 0, whenEmpty: overview.noSilentKinds })}`
}

export function certificatesOf({ certificates }: OverviewState, words: Catalogue): Html {
  const { overview } = words
  const rows = table<CertificateState>(
    overview.certificates,
    [
      { title: overview.certificate, cell: ({ name }) => fileName(name) },
      {
        title: overview.set,
        cell: ({ set }) => html`<a href="/ui/certificates?set=${set}">${words.certificates.sets[set]}</a>`,
      },
      {
        title: overview.environment,
        cell: ({ institution, environment }) => environment && realmText({ institution, environment }, words),
      },
      { title: overview.daysLeft, cell: ({ daysLeft }) => daysOf(daysLeft, overview.unreadable), isNumber: true },
    ],
    certificates.slice(0, LISTED),
  )
  const rest = certificates.length - LISTED
  return html`<h2>${overview.certificates}</h2>
${part('certificates', { rows, isEmpty: certificates.length === 0, whenEmpty: overview.noCertificates })}
${rest > 0 && html`<p>${overview.moreCertificates.replace('{count}', String(rest))}</p>`}`
}

function daysOf(days: number | null, unreadable: string): Html {
  if (days === null) return badge(unreadable, 'warn')
  if (days > 14) return html`${days}`
  return badge(String(days), days <= 3 ? 'bad' : 'warn')
}

export function storageOf({ freeSpace, search }: OverviewState, words: Catalogue): Html {
  const { overview } = words
  return html`<h2>${overview.storage}</h2>
${facts([
  ...(freeSpace === null ? [] : freeSpaceFacts(freeSpace, words)),
  [overview.search, html`<span data-value="search">${searchText(search, overview)}</span>`],
])}`
}

function freeSpaceFacts(
  { freeBytes, minFreeBytes }: NonNullable<OverviewState['freeSpace']>,
  words: Catalogue,
): [string, string | Html][] {
  const { overview } = words
  const shown = freeBytes === null ? overview.unknown : sizeText(freeBytes, words)
  return [
    [overview.freeSpace, html`<span data-value="freeBytes">${shown}</span>`],
    [overview.minFreeSpace, sizeText(minFreeBytes, words)],
  ]
}

function searchText(search: SearchLag | null, words: Catalogue['overview']): string {
  if (search === null) return words.unknown
  const { isRebuilding, lagEvents, lagSeconds } = search
  if (!isRebuilding && lagEvents === 0) return words.searchCurrent
  const text = isRebuilding ? words.searchRebuilding : words.searchBehind
  return text.replace('{count}', String(lagEvents)).replace('{span}', spanText(lagSeconds))
}

function sizeText(bytes: number, words: Catalogue): string {
  const [unit, size] = bytes >= 1024 ** 3 ? ['GiB', 1024 ** 3] : ['MiB', 1024 ** 2]
  return `${decimalText(bytes / size, words, 1)} ${unit}`
}
