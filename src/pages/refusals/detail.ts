import { plural, say } from '../../messages/say.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { badge } from '../parts/badge.ts'
import { codeLink } from '../parts/code-link.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { identifiersText } from '../parts/subject-identifiers.ts'
import { table } from '../parts/table.ts'
import { limitOf, timeOf } from '../parts/time.ts'
import { LISTENERS } from '../refusals/refusal.ts'
import { exactReason, type PeerView, type RefusalView, reasonText } from './refusal.ts'

export const REFUSAL_DETAIL: Page = {
  path: '/refusals/:id',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, params, t } = request
    const refusal = jsonOf(await ask('showRefusal', { params: { id: params.id ?? '' } }))
    const title = t`Refusal ${{ id: refusal.id }}`
    return {
      title,
      body: html`<p><a href="/ui/refusals">${t`Refusals`}</a></p>
<h1>${title}</h1>
<p><strong>${reasonText(refusal, t)}</strong></p>
${factsOf(refusal, request)}
<h2>${t`Certificates that the caller showed`}</h2>
${refusal.chain.length === 0 ? html`<p>${t`The caller showed no certificate, or none was known when it was refused. A .NET client with a certificate sends none where its trust store lacks the issuer.`}</p>` : chainOf(refusal.chain, request)}`,
    }
  },
}

function factsOf(refusal: RefusalView, { t }: PageRequest): Html {
  const { remoteAddress, institution, environment, count, probe } = refusal
  const others = withQuery('/ui/refusals', { address: remoteAddress })
  return html`${facts([
    [t`Time`, timeOf(refusal.refusedAt)],
    [t`Address`, html`${idOf(remoteAddress)} <a href="${others}">${t`More from this address`}</a>`],
    [t`Listener`, t.of(LISTENERS[refusal.listener])],
    [t`As recorded`, exactReason(refusal) && html`<span lang="en">${exactReason(refusal)}</span>`],
    [t`Code`, codeLink(refusal.code)],
    [t`Error of TLS or HTTP`, refusal.rawCode && html`<code>${refusal.rawCode}</code>`],
    [t`Request`, refusal.detail && html`<span class="id">${printable(refusal.detail)}</span>`],
    [t`Environment`, environment && realmText({ institution, environment }, t)],
    [t`TLS version`, refusal.tlsVersion],
    [t`Server name`, refusal.serverName && html`<span class="id">${printable(refusal.serverName)}</span>`],
    [
      t`Refusals`,
      count > 1 &&
        t.of(
          plural(count, say`{count} callers, not recorded one by one`, say`{count} callers, not recorded one by one`),
        ),
    ],
  ])}
${probe && html`<p>${badge(t`the service's test`, 'info')} ${t`A callback came from this address soon after: the service tested whether callers without a certificate are refused.`}</p>`}`
}

function subjectOf({ subject, identifiers }: PeerView): Html {
  const said = identifiersText(identifiers)
  return html`<span class="id">${shortened(subject, 500)}</span>${said && html`<br>${said}`}`
}

function chainOf(chain: readonly PeerView[], { t }: PageRequest): Html {
  const validity = ({ notBefore, notAfter }: PeerView) =>
    html`${notBefore && limitOf(notBefore)} – ${notAfter && limitOf(notAfter)}`
  return html`<p class="hint">${t`The caller's own certificate first. Nothing in them is verified.`}</p>
${table<PeerView>(
  t`Certificates that the caller showed`,
  [
    { title: t.in('certificate')`Subject`, cell: subjectOf },
    { title: t`Issuer`, cell: ({ issuer }) => html`<span class="id">${shortened(issuer, 500)}</span>` },
    { title: t`Valid`, cell: validity },
    { title: 'SHA-256', cell: ({ fingerprint }) => idOf(fingerprint) },
  ],
  chain,
)}`
}
