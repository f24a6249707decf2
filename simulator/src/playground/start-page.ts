import { html } from '../http/html.ts'
import { ENVIRONMENTS, INTERFACES } from '../interfaces.ts'
import type { Shown } from './frame.ts'
import type { View } from './page.ts'
import { PAGES } from './sections.ts'

/** Where everything is. */
export function startPage(view: View): Shown {
  const { words, surroundings } = view
  return {
    title: words.frame.name,
    content: html`<p>${words.start.introduction}</p>
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
