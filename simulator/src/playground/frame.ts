import { LANGUAGES } from '../conformance/text.ts'
import { type Html, html } from '../http/html.ts'
import { ENVIRONMENTS } from '../interfaces.ts'
import type { Assets } from './assets.ts'
import { LANGUAGE_TAGS } from './language.ts'
import type { View } from './page.ts'
import { PAGES } from './sections.ts'

/** What a page shows. */
export interface Shown {
  readonly status?: number
  readonly title: string
  readonly content: Html
  /** Loads itself again after so many seconds, as long as nothing is typed. */
  readonly isLive?: boolean
}

/** A whole page: readable without scripts, which only send forms. */
export function documentOf(assets: Assets, view: View, { title, content, isLive = false }: Shown): string {
  const { words, language } = view
  return html`<!doctype html>
<html lang="${LANGUAGE_TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${words.frame.name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.pathOf('playground.css')}">
<script type="module" src="${assets.pathOf('playground.js')}"></script>
</head>
<body${isLive ? html` data-live` : null}>
<a class="skip" href="#main">${words.frame.skip}</a>
<header class="top">
<a class="brand" href="${view.link('/')}">${words.frame.name}</a>
${callerForm(view)}
${languages(view)}
</header>
${navigation(view)}
<p class="flash bad" id="unreachable" role="alert" data-text="${words.frame.unreachable}" hidden></p>
<main id="main" tabindex="-1">
<h1>${title}</h1>
<noscript><p class="flash warn">${words.frame.noScript}</p></noscript>
${content}
</main>
<footer>${words.frame.purpose}</footer>
</body>
</html>
`.text
}

/** Environment and account of the requests. */
function callerForm({ words, caller, surroundings }: View): Html {
  const all = ENVIRONMENTS.flatMap((environment) => surroundings.callers(environment))
  const options = all.map(({ environment, application }) => {
    const isChosen = application.clientId === caller.application.clientId
    const title = `${words.environments[environment]}, ${words.frame.account} ${application.account}`
    return html`<option value="${environment} ${application.account}"${isChosen ? html` selected` : null}>${title}</option>`
  })
  return html`<form method="get" class="caller"><label>${words.frame.as} <select name="as" autocomplete="off">${options}</select></label>
<button class="quiet">${words.frame.change}</button></form>`
}

function languages({ language, words, here }: View): Html {
  return html`<span class="languages">${LANGUAGES.filter((one) => one !== language).map(
    (one) =>
      html`<a href="/playground/language/${one}?next=${encodeURIComponent(here)}" lang="${LANGUAGE_TAGS[one]}" hreflang="${LANGUAGE_TAGS[one]}">${words.frame.otherLanguage}</a>`,
  )}</span>`
}

function navigation(view: View): Html {
  const { words, section } = view
  const links = PAGES.map(
    (name) =>
      html`<li><a href="${view.link(`/${name === 'start' ? '' : name}`)}"${name === section ? html` aria-current="page"` : null}>${words.sections[name]}</a></li>`,
  )
  return html`<nav class="pages" aria-label="${words.frame.pages}"><ul>${links}</ul></nav>`
}
