import type { certificateSchema } from '../../api/certificates/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { CERTIFICATE_SETS, type ExpiryState } from '../../domain/expiry.ts'
import { inContext, plural, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf } from '../frame/answers.ts'
import { sliceOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { SETS } from '../parts/certificate-sets.ts'
import { empty } from '../parts/empty.ts'
import { fileName } from '../parts/file-name.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { limitOf } from '../parts/time.ts'

const STATES: Readonly<Record<ExpiryState, Said>> = {
  valid: say`valid`,
  expiring: say`expires soon`,
  expired: inContext('certificate', say`expired`),
  replaced: say`replaced`,
  unreadable: say`unreadable`,
}

/** Long names break within their cells. */
const LONGEST_NAME = 200

/** The most that the API lists. */
const ALL = 1000
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
    const { ask, query, t } = request
    const { data, more } = jsonOf(await ask('listCertificates', { query: { limit: ALL } }))
    const set = CERTIFICATE_SETS.find((one) => one === query.get('set'))
    const chosen = set === undefined ? data : data.filter((one) => one.set === set)
    const shown = sliceOf(chosen, { path: PATH, query, t })
    return {
      title: t`Certificates`,
      body: html`<h1>${t`Certificates`}</h1>
<p>${t`Every certificate whose expiry matters, in sets.`} <a href="${PATH}/trust">${t`Compare a new chain of the service`}</a></p>
<h2>${t`Sets`}</h2>
${setsOf(data, request)}
<h2>${set === undefined ? t`All certificates, the first to expire first` : t`${{ set: t.of(SETS[set]) }}, the first to expire first`}</h2>
${set !== undefined && html`<p><a href="${PATH}">${t`Show all sets`}</a></p>`}
${chosen.length === 0 ? empty(t`There is no certificate in this set.`) : listOf(shown.items, request)}
${shown.pager}
${more && html`<p class="hint">${t`The list is cut. The operator lists all with: portaria certs check.`}</p>`}`,
    }
  },
}

/** Of each set how many there are, and how much time the first to expire has. */
function setsOf(all: readonly CertificateView[], { t }: PageRequest): Html {
  const rows = CERTIFICATE_SETS.map((set) => {
    const own = all.filter((one) => one.set === set)
    // The list is in the order of expiry, with unreadable files first.
    return { set, count: own.length, first: own.find(({ state }) => state !== 'replaced') }
  })
  return table(
    t`Sets`,
    [
      {
        title: t`Set`,
        cell: ({ set }) => html`<a href="${withQuery(PATH, { set })}">${t.of(SETS[set])}</a>`,
      },
      { title: t`Certificates`, cell: ({ count }) => count, isNumber: true },
      { title: t`First to expire`, cell: ({ first }) => first && daysOf(first, t), isNumber: true },
      { title: t`State`, cell: ({ first }) => first && stateOf(first, t) },
    ],
    rows,
  )
}

function listOf(list: readonly CertificateView[], { t }: PageRequest): Html {
  return table<CertificateView>(
    t`Certificates`,
    [
      { title: t.in('certificate')`Subject`, cell: (one) => nameOf(one, t) },
      { title: t`State`, cell: (one) => stateOf(one, t) },
      {
        title: t`Expires`,
        cell: (one) => one.notAfter && html`${limitOf(one.notAfter)} <span class="hint">${daysOf(one, t)}</span>`,
      },
      { title: t`Set`, cell: ({ set }) => t.of(SETS[set]) },
      {
        title: t`Environment`,
        cell: ({ institution, environment }) => environment && realmText({ institution, environment }, t),
      },
      {
        title: t`Where`,
        cell: ({ where }) => idOf(shortened(whereText(where, t), LONGEST_NAME)),
      },
      { title: 'SHA-256', cell: ({ fingerprint }) => fingerprint && idOf(fingerprint) },
    ],
    list,
  )
}

/** A file, or callers: `callbacks, production`, `callbacks, bank-a/production`. */
function whereText(where: string, t: Speaker): string {
  return where.startsWith('callbacks, ') ? where.replace(/\bproduction$/, t`production`) : fileName(where)
}

function nameOf({ subject, issuer, problem, clientUseProblem }: CertificateView, t: Speaker): Html {
  const trouble = problem ?? clientUseProblem
  return html`${subject && html`<span class="id">${shortened(subject, LONGEST_NAME)}</span>`}${
    issuer && html` <span class="hint">${t`Issuer`}: ${shortened(issuer, LONGEST_NAME)}</span>`
  }${trouble && html`<span class="hint">${forwardingHtml(trouble, t, 300)}</span>`}`
}

function daysOf({ daysLeft }: CertificateView, t: Speaker): string | null {
  return daysLeft === null ? null : t.of(plural(daysLeft, say`1 day`, say`{count} days`))
}

function stateOf({ state, clientUseProblem }: CertificateView, t: Speaker): Html {
  return html`${badge(t.of(STATES[state]), TONES[state])}${
    clientUseProblem !== null && html` ${badge(t`Problems`, 'warn')}`
  }`
}
