import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { codeLink } from '../parts/code-link.ts'
import { badge } from '../parts/badge.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { identifiersText } from '../parts/subject-identifiers.ts'
import { table } from '../parts/table.ts'
import { limitOf, timeOf } from '../parts/time.ts'
import { exactReason, type PeerView, type RefusalView, reasonText } from './refusal.ts'

export const REFUSAL_DETAIL: Page = {
  path: '/refusals/:id',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, params, words } = request
    const { refusals } = words
    const refusal = jsonOf(await ask('showRefusal', { params: { id: params.id ?? '' } }))
    const title = refusals.one(refusal.id)
    return {
      title,
      body: html`<p><a href="/ui/refusals">${refusals.title}</a></p>
<h1>${title}</h1>
<p><strong>${reasonText(refusal, words)}</strong></p>
${factsOf(refusal, request)}
<h2>${refusals.chain}</h2>
${refusal.chain.length === 0 ? html`<p>${refusals.noChain}</p>` : chainOf(refusal.chain, request)}`,
    }
  },
}

function factsOf(refusal: RefusalView, { words }: PageRequest): Html {
  const { refusals } = words
  const { remoteAddress, institution, environment, count, probe } = refusal
  const others = withQuery('/ui/refusals', { address: remoteAddress })
  return html`${facts([
    [refusals.time, timeOf(refusal.refusedAt)],
    [refusals.address, html`${idOf(remoteAddress)} <a href="${others}">${refusals.others}</a>`],
    [refusals.listener, refusals.listeners[refusal.listener]],
    [refusals.exact, exactReason(refusal) && html`<span lang="en">${exactReason(refusal)}</span>`],
    [refusals.code, codeLink(refusal.code)],
    [refusals.rawCode, refusal.rawCode && html`<code>${refusal.rawCode}</code>`],
    [refusals.detail, refusal.detail && html`<span class="id">${printable(refusal.detail)}</span>`],
    [refusals.environment, environment && realmText({ institution, environment }, words)],
    [refusals.tlsVersion, refusal.tlsVersion],
    [refusals.serverName, refusal.serverName && html`<span class="id">${printable(refusal.serverName)}</span>`],
    [refusals.count, count > 1 && refusals.countOf(count)],
  ])}
${probe && html`<p>${badge(refusals.probe, 'info')} ${refusals.probeHint}</p>`}`
}

function subjectOf({ subject, identifiers }: PeerView): Html {
  const said = identifiersText(identifiers)
  return html`<span class="id">${shortened(subject, 500)}</span>${said && html`<br>${said}`}`
}

function chainOf(chain: readonly PeerView[], { words: { refusals } }: PageRequest): Html {
  const validity = ({ notBefore, notAfter }: PeerView) =>
    html`${notBefore && limitOf(notBefore)} – ${notAfter && limitOf(notAfter)}`
  return html`<p class="hint">${refusals.chainHint}</p>
${table<PeerView>(
  refusals.chain,
  [
    { title: refusals.subject, cell: subjectOf },
    { title: refusals.issuer, cell: ({ issuer }) => html`<span class="id">${shortened(issuer, 500)}</span>` },
    { title: refusals.validity, cell: validity },
    { title: refusals.fingerprint, cell: ({ fingerprint }) => idOf(fingerprint) },
  ],
  chain,
)}`
}
