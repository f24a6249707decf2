import type { certificateSchema } from '../../api/certificates/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { CERTIFICATE_SETS, type ExpiryState } from '../../domain/expiry.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import { sliceOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { empty } from '../parts/empty.ts'
import { fileName } from '../parts/file-name.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { limitOf } from '../parts/time.ts'

/** Long names break within their cells. */
const LONGEST_NAME = 200

/** The most that the API lists. */
const ALL = 1000
const PAGE = 50
const PATH = '/ui/certificates'

type CertificateView = View<typeof certificateSchema>

const TONES: Readonly<Record<ExpiryState, Tone>> = {
  valid: 'good',
  expiring: 'warn',
  expired: 'bad',
  replaced: null,
  unreadable: 'bad',
}

export const CERTIFICATE_LIST: Page = {
  path: '/certificates',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, words } = request
    const { certificates } = words
    const { data, more } = jsonOf(await ask('listCertificates', { query: { limit: ALL } }))
    const set = CERTIFICATE_SETS.find((one) => one === query.get('set'))
    const chosen = set === undefined ? data : data.filter((one) => one.set === set)
    const shown = sliceOf(chosen, { path: PATH, size: PAGE, query, words })
    return {
      title: certificates.title,
      body: html`<h1>${certificates.title}</h1>
<p>${certificates.intro} <a href="${PATH}/trust">${certificates.trust.link}</a></p>
<h2>${certificates.bySet}</h2>
${setsOf(data, request)}
<h2>${set === undefined ? certificates.all : certificates.ofSet(certificates.sets[set])}</h2>
${set !== undefined && html`<p><a href="${PATH}">${certificates.showAll}</a></p>`}
${chosen.length === 0 ? empty(certificates.none) : listOf(shown.items, request)}
${shown.pager}
${more && html`<p class="hint">${certificates.more}</p>`}`,
    }
  },
}

/** Of each set how many there are, and how much time the first to expire has. */
function setsOf(all: readonly CertificateView[], { words }: PageRequest): Html {
  const { certificates } = words
  const rows = CERTIFICATE_SETS.map((set) => {
    const own = all.filter((one) => one.set === set)
    // The list is in the order of expiry, with unreadable files first.
    return { set, count: own.length, first: own.find(({ state }) => state !== 'replaced') }
  })
  return table(
    certificates.bySet,
    [
      {
        title: certificates.set,
        cell: ({ set }) => html`<a href="${withQuery(PATH, { set })}">${certificates.sets[set]}</a>`,
      },
      { title: certificates.count, cell: ({ count }) => count, isNumber: true },
      { title: certificates.soonest, cell: ({ first }) => first && daysOf(first, words), isNumber: true },
      { title: certificates.state, cell: ({ first }) => first && stateOf(first, words) },
    ],
    rows,
  )
}

function listOf(list: readonly CertificateView[], { words }: PageRequest): Html {
  const { certificates } = words
  return table<CertificateView>(
    certificates.title,
    [
      { title: certificates.subject, cell: (one) => nameOf(one, words) },
      { title: certificates.state, cell: (one) => stateOf(one, words) },
      {
        title: certificates.expires,
        cell: (one) => one.notAfter && html`${limitOf(one.notAfter)} <span class="hint">${daysOf(one, words)}</span>`,
      },
      { title: certificates.set, cell: ({ set }) => certificates.sets[set] },
      {
        title: certificates.environment,
        cell: ({ institution, environment }) => environment && realmText({ institution, environment }, words),
      },
      {
        title: certificates.where,
        cell: ({ where }) => idOf(shortened(whereText(where, words), LONGEST_NAME)),
      },
      { title: certificates.fingerprint, cell: ({ fingerprint }) => fingerprint && idOf(fingerprint) },
    ],
    list,
  )
}

/** A file, or callers: `callbacks, production`, `callbacks, bank-a/production`. */
function whereText(where: string, { frame: { environments } }: Catalogue): string {
  return where.startsWith('callbacks, ') ? where.replace(/\bproduction$/, environments.production) : fileName(where)
}

function nameOf({ subject, issuer, problem, clientUseProblem }: CertificateView, words: Catalogue): Html {
  const trouble = problem ?? clientUseProblem
  return html`${subject && html`<span class="id">${shortened(subject, LONGEST_NAME)}</span>`}${
    issuer && html` <span class="hint">${words.certificates.issuer}: ${shortened(issuer, LONGEST_NAME)}</span>`
  }${trouble && html`<span class="hint">${forwardingHtml(trouble, words, 300)}</span>`}`
}

function daysOf({ daysLeft }: CertificateView, { certificates }: PageRequest['words']): string | null {
  return daysLeft === null ? null : certificates.days(daysLeft)
}

function stateOf({ state, clientUseProblem }: CertificateView, { certificates }: PageRequest['words']): Html {
  return html`${badge(certificates.states[state], TONES[state])}${
    clientUseProblem !== null && html` ${badge(certificates.problems, 'warn')}`
  }`
}
