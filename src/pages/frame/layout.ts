import type { Language } from '../../messages/languages.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { zoneText } from '../../platform/local-time.ts'
import { badge } from '../parts/badge.ts'
import { type Html, html } from '../parts/html.ts'
import { MARK } from '../parts/icon.ts'
import { environmentText } from '../parts/realm.ts'
import type { Assets } from './assets.ts'
import { LANGUAGE_TAGS } from './language.ts'
import { navigation } from './navigation.ts'
import type { PageEntry, PageView, Viewer } from './page.ts'
import { problemHtml } from './problem.ts'
import type { Flash } from './sessions.ts'

/** What surrounds a page. */
export interface Frame {
  readonly assets: Assets
  readonly t: Speaker
  readonly language: Language
  /** Every page, in the order of the navigation. */
  readonly pages: readonly PageEntry[]
  /** Path of this page with its query, with /ui. */
  readonly here: string
  /** Path of the request, below /ui, by which the navigation marks a tab. */
  readonly path: string
  /** null: no person is signed in. */
  readonly viewer: Viewer | null
  readonly formToken: Html | null
  readonly flash: Flash | null
}

/** A time as `timeOf` writes it, on any page. */
const DAY = /(<time datetime="[^"]*"[^>]*>)(\d{4})-(\d{2})-(\d{2})/g

/** A whole document, with its days as the reader's language writes them. */
export function layout(frame: Frame, view: PageView): string {
  const text = documentOf(frame, view).toString()
  return frame.language === 'pt' ? text.replaceAll(DAY, '$1$4/$3/$2') : text
}

function documentOf(frame: Frame, view: PageView): Html {
  const { assets, t, language } = frame
  const styles = ['app.css', ...(view.styles ?? [])].map((name) => assets.pathOf(name))
  const scripts = ['common.js', ...(view.scripts ?? [])].map((name) => assets.pathOf(name))
  return html`<!doctype html>
<html lang="${LANGUAGE_TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${printable(view.title)} · Portaria</title>
<link rel="icon" href="${assets.pathOf('icon.svg')}" type="image/svg+xml">
${styles.map((path) => html`<link rel="stylesheet" href="${path}">\n`)}${scripts.map((path) => html`<script type="module" src="${path}"></script>\n`)}</head>
<body>
<a class="skip" href="#main">${t`Skip to the content`}</a>
<header class="top">
<a class="brand" href="/ui/">${MARK}Portaria</a>
${languageForm(frame)}
${frame.viewer && personOf(frame.viewer, frame)}
</header>
${frame.viewer && navigation(frame.viewer, frame)}
<p class="unreachable" id="unreachable" role="alert" data-text="${t`The gateway does not answer. It may be restarting. Nothing was sent, and this page is kept: try again in a moment.`}"></p>
<main id="main" tabindex="-1">
${frame.flash && flashOf(frame.flash, t)}
${view.body}
</main>
<footer>${frame.viewer && html`<p>${t`Times are in`} <span data-zone>${zoneText(Date.now())}</span></p>`}
<a href="/reference" hreflang="en">${t`API reference`}</a></footer>
</body>
</html>
`
}

function personOf(viewer: Viewer, { t, formToken }: Frame): Html {
  return html`<div class="person">
<span>${viewer.name === null ? t`Operator` : printable(viewer.name)}</span>
${badge(environmentText(viewer.environment, t), viewer.environment === 'sandbox' ? 'warn' : null)}
<form method="post" action="/ui/sign-out">${formToken}<button class="link">${t`Sign out`}</button></form>
</div>`
}

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', pt: 'Português' }

function languageForm({ language, here }: Frame): Html {
  const other = language === 'en' ? 'pt' : 'en'
  return html`<form method="post" action="/ui/language"><input type="hidden" name="language" value="${other}">
<input type="hidden" name="next" value="${here}">
<button class="link" lang="${LANGUAGE_TAGS[other]}">${LANGUAGE_NAMES[other]}</button></form>`
}

/** `alert` and `status` are read out by screen readers. */
function flashOf(flash: Flash, t: Speaker): Html {
  const { isError } = flash
  return html`<p class="flash ${isError ? 'bad' : 'good'}" role="${isError ? 'alert' : 'status'}">${problemHtml(flash, t)}</p>`
}
