import { type Html, html } from '../http/html.ts'
import { ENVIRONMENTS, INTERFACES } from '../interfaces.ts'
import { controlForm } from './control-forms.ts'
import { asOf } from './endpoint-pages.ts'
import type { Shown } from './frame.ts'
import type { View } from './page.ts'
import { factsOf, linkTo } from './parts.ts'
import { PAGES } from './sections.ts'

type Facts = readonly (readonly [name: string, value: Html | string])[]

/** Where everything is. */
export function startPage(view: View): Shown {
  const { words, surroundings } = view
  const { payment, registration, charges, api, pages, token } = view.gateway.addresses()
  const known: Facts = [
    [words.gateway.payment, payment],
    [words.gateway.registration, registration],
    ...(charges === null ? [] : ([[words.gateway.charges, charges]] as const)),
    ...(api === null ? [] : ([[words.gateway.api, api]] as const)),
    ...(pages === null ? [] : ([[words.gateway.pages, linkTo(pages, pages)]] as const)),
  ]
  const given = { payment, registration, charges, api, pages, token: null }
  return {
    title: words.frame.name,
    content: html`<p>${words.start.introduction}</p>
<section class="card" aria-labelledby="gateway"><h2 id="gateway">${words.gateway.title}</h2>
<p>${words.gateway.introduction}</p>
${factsOf(known)}
${api === null || token === null ? html`<p class="hint">${words.gateway.noApi}</p>` : null}
<form data-post="/playground/first-payment" data-then="${view.link('/first-payment/{idPagamento}')}"><input type="hidden" name="as" value="${asOf(view)}"><button>${words.gateway.register}</button><div role="status" data-output></div></form>
</section>
${controlForm(view, 'setGateway', { title: words.gateway.change, body: given })}
<ul class="sections">${PAGES.filter((one) => one !== 'start').map(
      (one) =>
        html`<li><a href="${view.link(`/${one}`)}">${words.sections[one]}</a> <span class="hint">${words.start.about[one]}</span></li>`,
    )}</ul>
<h2>${words.start.addresses}</h2>
${ENVIRONMENTS.map(
  (environment) =>
    html`<h3>${words.environments[environment]}</h3><dl class="facts">${INTERFACES.map(
      (on) => html`<dt>${on}</dt><dd><code>${surroundings.baseOf(environment, on)}</code></dd>`,
    )}</dl>`,
)}`,
  }
}
