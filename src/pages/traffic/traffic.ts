import { SPANS, type Span } from '../../domain/overview/traffic-spans.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { bars } from '../parts/bars.ts'
import { empty } from '../parts/empty.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { realmText } from '../parts/realm.ts'
import { table } from '../parts/table.ts'
import { dayOf, timeOf } from '../parts/time.ts'

const SPAN_TEXTS: Readonly<Record<Span, Said>> = {
  day: say`Day`,
  week: say`Week`,
  quarter: say`13 weeks`,
  year: say`Year`,
}

const PER: Readonly<Record<Span, Said>> = {
  day: say`per hour`,
  week: say`per day`,
  quarter: say`per week`,
  year: say`per week`,
}

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
    const { ask, query, t } = request
    const span = SPANS.find((one) => one === query.get('span')) ?? 'day'
    const only = query.get('only')
    const { starts, callbacks, attempts } = jsonOf(await ask('showTraffic', { query: { span } }))
    const ofKinds = callbacks.map(
      ({ kind, accepted: good, failed: bad, ...realm }): Chart => ({
        key: `${realm.institution ?? ''}/${realm.environment}/${kind}`,
        title: `${kindText(kind, t)}, ${realmText(realm, t)}`,
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
    const shown = { span, only, starts, t }
    return {
      title: t`Traffic`,
      body: html`<h1>${t`Traffic`}</h1>
<p class="hint">${t`Sums of hours since the gateway was installed, at most of 400 days. Green: accepted, or delivered. Red: failed.`}</p>
${spanLinks(span, only, t)}
<h2>${t`Callbacks`}</h2>
${chartsOf(ofKinds, shown, { good: t`Accepted`, sum: acceptedText, whenEmpty: t`No callback came in this time.` })}
<h2>${t`Delivery attempts`}</h2>
${chartsOf(ofDestinations, shown, { good: t.in('attempts')`Delivered`, sum: deliveredText, whenEmpty: t`Nothing was sent in this time.` })}`,
      scripts: ['traffic.js'],
      styles: ['traffic.css'],
    }
  },
}

interface Shown {
  readonly span: Span
  readonly only: string | null
  readonly starts: readonly string[]
  readonly t: Speaker
}

interface ListTexts {
  /** What the good ones are. */
  readonly good: string
  readonly sum: (good: number, bad: number) => Said
  readonly whenEmpty: string
}

function spanLinks(chosen: Span, only: string | null, t: Speaker): Html {
  return html`<nav aria-label="${t`Period`}"><ul class="chips">${SPANS.map((span) => {
    const isHere = span === chosen
    return html`<li><a class="chip" href="${withQuery(PATH, { span, only })}"${isHere && html` aria-current="true"`}>${t.of(SPAN_TEXTS[span])}</a></li>`
  })}${only !== null && html`<li><a class="chip" href="${withQuery(PATH, { span: chosen })}">${t`All`}</a></li>`}</ul></nav>`
}

function chartsOf(all: readonly Chart[], shown: Shown, texts: ListTexts): Html {
  const { only, span, t } = shown
  const wanted = only === null ? all : all.filter(({ key }) => key === only)
  if (wanted.length === 0) return empty(texts.whenEmpty)
  const more = wanted.slice(MOST_CHARTS[span])
  return html`<div class="pair">${wanted.slice(0, MOST_CHARTS[span]).map((chart) => chartOf(chart, shown, texts))}</div>
${
  more.length > 0 &&
  html`<p>${t`More`}:</p>
<ul class="chips">${more.map(({ key, title }) => html`<li><a class="chip" href="${withQuery(PATH, { span, only: key })}">${printable(title)}</a></li>\n`)}</ul>`
}`
}

function chartOf({ title, path, good, bad }: Chart, { span, starts, t }: Shown, texts: ListTexts): Html {
  const name = printable(title)
  const sum = t.of(texts.sum(sumOf(good), sumOf(bad)))
  const label = `${name}: ${sum}`
  const highest = Math.max(...good.map((count, index) => count + (bad[index] ?? 0)))
  const from = span === 'day' ? timeOf : dayOf
  const rows = starts.map((start, index) => ({ start, good: good[index] ?? 0, bad: bad[index] ?? 0 }))
  return html`<section class="card"><h3>${path === null ? name : html`<a href="${path}">${name}</a>`}</h3>
<p class="hint">${sum}; ${t`highest bar: ${{ count: highest }}`}</p>
<p class="hint axis">${highest} ${t.of(PER[span])}</p>
<div data-bars>${bars({ label, good, bad })}</div>
<p class="hint bars-ends"><span>${starts[0] && from(starts[0])}</span><span>${from(starts.at(-1) ?? '')}</span></p>
<p class="hint value" role="status" data-value></p>
<details><summary>${t`Numbers`}</summary>${table(
    name,
    [
      { title: t`From`, cell: (row: (typeof rows)[number]) => from(row.start) },
      { title: texts.good, cell: (row) => row.good, isNumber: true },
      { title: t.in('attempts')`Failed`, cell: (row) => row.bad, isNumber: true },
    ],
    rows,
  )}</details></section>
`
}

function acceptedText(good: number, bad: number): Said {
  return say`${{ good }} accepted, ${{ bad }} failed`
}

function deliveredText(good: number, bad: number): Said {
  return say`${{ good }} delivered, ${{ bad }} failed`
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
