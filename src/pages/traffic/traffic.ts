import { SPANS, type Span } from '../../domain/overview/traffic-spans.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { bars } from '../parts/bars.ts'
import { empty } from '../parts/empty.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { realmText } from '../parts/realm.ts'
import { table } from '../parts/table.ts'
import { dayOf, timeOf } from '../parts/time.ts'

const PATH = '/ui/traffic'
/** Of each list: a page stays small, whatever the numbers. A chart of a year has the most. */
const MOST_CHARTS: Readonly<Record<Span, number>> = { day: 8, week: 8, quarter: 8, year: 4 }

/** A chart, and the name in the address that shows it alone. */
interface Chart {
  readonly key: string
  readonly title: string
  /** Where its subject is shown; null: nowhere else. */
  readonly path: string | null
  readonly good: readonly number[]
  readonly bad: readonly number[]
}

/** Each chart has its numbers as a table, which its module reads. */
export const TRAFFIC: Page = {
  path: '/traffic',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, words } = request
    const { traffic } = words
    const span = SPANS.find((one) => one === query.get('span')) ?? 'day'
    const only = query.get('only')
    const { starts, callbacks, attempts } = jsonOf(await ask('showTraffic', { query: { span } }))
    const ofKinds = callbacks.map(
      ({ kind, accepted: good, failed: bad, ...realm }): Chart => ({
        key: `${realm.institution ?? ''}/${realm.environment}/${kind}`,
        title: `${kindText(kind, words)}, ${realmText(realm, words)}`,
        path: null,
        good,
        bad,
      }),
    )
    const ofDestinations = attempts.map(
      ({ destination, name, delivered: good, failed: bad }): Chart => ({
        key: destination,
        title: name,
        path: `/ui/destinations/${destination}`,
        good,
        bad,
      }),
    )
    const shown = { span, only, starts, words }
    const { accepted, delivered, noCallbacks, noAttempts, sum, attemptSum } = traffic
    return {
      title: traffic.title,
      body: html`<h1>${traffic.title}</h1>
<p class="hint">${traffic.intro}</p>
${spanLinks(span, only, words)}
<h2>${traffic.callbacks}</h2>
${chartsOf(ofKinds, shown, { good: accepted, sum, whenEmpty: noCallbacks })}
<h2>${traffic.attempts}</h2>
${chartsOf(ofDestinations, shown, { good: delivered, sum: attemptSum, whenEmpty: noAttempts })}`,
      scripts: ['traffic.js'],
      styles: ['traffic.css'],
    }
  },
}

interface Shown {
  readonly span: Span
  readonly only: string | null
  readonly starts: readonly string[]
  readonly words: PageRequest['words']
}

interface ListTexts {
  /** What the good ones are. */
  readonly good: string
  readonly sum: (good: number, bad: number) => string
  readonly whenEmpty: string
}

function spanLinks(chosen: Span, only: string | null, { traffic }: Catalogue): Html {
  return html`<nav aria-label="${traffic.span}"><ul class="chips">${SPANS.map((span) => {
    const isHere = span === chosen
    return html`<li><a class="chip" href="${withQuery(PATH, { span, only })}"${isHere && html` aria-current="true"`}>${traffic.spans[span]}</a></li>`
  })}${only !== null && html`<li><a class="chip" href="${withQuery(PATH, { span: chosen })}">${traffic.all}</a></li>`}</ul></nav>`
}

function chartsOf(all: readonly Chart[], shown: Shown, texts: ListTexts): Html {
  const { only, span, words } = shown
  const wanted = only === null ? all : all.filter(({ key }) => key === only)
  if (wanted.length === 0) return empty(texts.whenEmpty)
  const more = wanted.slice(MOST_CHARTS[span])
  return html`<div class="pair">${wanted.slice(0, MOST_CHARTS[span]).map((chart) => chartOf(chart, shown, texts))}</div>
${
  more.length > 0 &&
  html`<p>${words.traffic.more}:</p>
<ul class="chips">${more.map(({ key, title }) => html`<li><a class="chip" href="${withQuery(PATH, { span, only: key })}">${printable(title)}</a></li>\n`)}</ul>`
}`
}

function chartOf({ title, path, good, bad }: Chart, { span, starts, words }: Shown, texts: ListTexts): Html {
  const { traffic } = words
  const name = printable(title)
  const label = `${name}: ${texts.sum(sumOf(good), sumOf(bad))}`
  const highest = Math.max(...good.map((count, index) => count + (bad[index] ?? 0)))
  const from = span === 'day' ? timeOf : dayOf
  const rows = starts.map((start, index) => ({ start, good: good[index] ?? 0, bad: bad[index] ?? 0 }))
  return html`<section class="card"><h3>${path === null ? name : html`<a href="${path}">${name}</a>`}</h3>
<p class="hint">${texts.sum(sumOf(good), sumOf(bad))}; ${traffic.highest(highest)}</p>
<p class="hint axis">${highest} ${traffic.per[span]}</p>
<div data-bars>${bars({ label, good, bad })}</div>
<p class="hint bars-ends"><span>${starts[0] && from(starts[0])}</span><span>${from(starts.at(-1) ?? '')}</span></p>
<p class="hint value" role="status" data-value></p>
<details><summary>${traffic.numbers}</summary>${table(
    name,
    [
      { title: traffic.from, cell: (row: (typeof rows)[number]) => from(row.start) },
      { title: texts.good, cell: (row) => row.good, isNumber: true },
      { title: traffic.failed, cell: (row) => row.bad, isNumber: true },
    ],
    rows,
  )}</details></section>
`
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
