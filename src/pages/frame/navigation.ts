import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { type Html, html } from '../parts/html.ts'
import { icon } from '../parts/icon.ts'
import { isTab, type Page, type PageEntry, TAB_GROUPS, type Tab, type TabGroup, type Viewer } from './page.ts'
import { mayOpen } from './viewer-rights.ts'

const GROUPS: Readonly<Record<TabGroup, Said>> = {
  events: say`Events`,
  state: say`State`,
  delivery: say`Delivery`,
  exceptions: say`Exceptions`,
  administration: say`Administration`,
}

/** What the navigation is made of. */
export interface Navigation {
  readonly pages: readonly PageEntry[]
  /** Below /ui. */
  readonly path: string
  readonly t: Speaker
}

/**
 * The tabs that the viewer may open, in groups. On a narrow screen they are folded, and the name of the marked one is in sight: a `details` element
 * without content is the switch, so that it needs no script and a wide screen shows them all.
 */
export function navigation(viewer: Viewer, { pages, path, t }: Navigation): Html {
  const tabs = pages.filter(isTab).filter(({ page }) => mayOpen(viewer, page))
  const marked = tabOf(path, pages)
  const shown = tabs.find(({ page }) => page === marked)
  return html`<details class="fold"><summary>${icon('menu')}<span class="visually-hidden">${t`Pages`}: </span>${shown ? t.of(shown.label) : t`Pages`}</summary></details>
<nav class="pages" aria-label="${t`Pages`}">${TAB_GROUPS.map((group) => {
    const own = tabs.filter((tab) => tab.group === group)
    return (
      own.length > 0 &&
      html`<p id="tabs-${group}">${t.of(GROUPS[group])}</p>
<ul aria-labelledby="tabs-${group}">${own.map((tab) => linkTo(tab, { isHere: path === tab.page.path, isMarked: tab === shown }, t))}</ul>
`
    )
  })}</nav>`
}

function linkTo(
  { page, label, icon: name }: Tab,
  { isHere, isMarked }: Record<'isHere' | 'isMarked', boolean>,
  t: Speaker,
): Html {
  const current = isMarked && html` aria-current="${isHere ? 'page' : 'true'}"`
  return html`<li><a href="/ui${page.path}"${current}>${icon(name)}${t.of(label)}</a></li>`
}

/** The tab of the page with this path, or of the page that a form with this path belongs to; null: of none, such as a page that does not exist. */
function tabOf(path: string, pages: readonly PageEntry[]): Page | null {
  const fitting = pages
    .filter(({ page }) => isAtOrBelow(path, page.path))
    .toSorted((one, other) => other.page.path.length - one.page.path.length)
  const [entry] = fitting
  if (entry === undefined) return null
  return isTab(entry) ? entry.page : entry.tab
}

function isAtOrBelow(path: string, pattern: string): boolean {
  if (pattern === '/') return path === '/'
  const [given, expected] = [path.split('/'), pattern.split('/')]
  return expected.every((part, at) => (part.startsWith(':') ? given[at] : part === given[at]))
}
