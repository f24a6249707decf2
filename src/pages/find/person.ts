import type { SubjectView } from '../../api/subjects/view.ts'
import { personNumberOf } from '../../domain/search/event-payer.ts'
import { amountFormat } from '../event/amount.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { empty } from '../parts/empty.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { documentText } from '../parts/person.ts'
import { statusHtml } from '../parts/status-word.ts'
import { table } from '../parts/table.ts'
import { type FoundSubjects, MASKED_ADVICE, subjectList } from './subjects.ts'

/** Payments, charges and registrations of one person that a page shows. */
const MOST = 200
const AT_ONCE = 100
/** Questions to the API for one page: a page of a search may be short. */
const MOST_PAGES = 20

/** All that is stored about one CPF or CNPJ, with sums. */
export const PERSON: Page = {
  path: '/person',
  scopes: ['events.read', 'support.read'],
  async render(request) {
    const { query, t } = request
    const digits = personNumberOf(query.get('number') ?? '')
    const title = digits === null ? t`CPF or CNPJ` : `${t`CPF or CNPJ`} ${documentText(digits)}`
    const found = digits === null ? null : await allOf(request, digits)
    const body = html`<p><a href="/ui/">${t`Back to the search`}</a></p>
<h1>${title}</h1>
<form method="get" action="/ui/person" class="card"><div class="fields"><p><label for="number">${t`CPF or CNPJ`}</label>
<input id="number" name="number" value="${query.get('number') ?? ''}" maxlength="18" inputmode="numeric" autocomplete="off" required></p>
<p><button>${t`Find`}</button></p></div></form>
${found === null ? (query.get('number') ?? '') !== '' && html`<p class="flash bad" role="alert">${t`This is no CPF and no CNPJ: type all 11 or 14 digits.`}</p>` : contentOf(found, request, digits ?? '')}`
    return { title, body, styles: ['find.css'] }
  },
}

interface Found {
  readonly subjects: readonly SubjectView[]
  /** There are more. */
  readonly isCut: boolean
}

async function allOf({ ask }: PageRequest, person: string): Promise<Found> {
  const subjects: SubjectView[] = []
  let after: string | null = null
  for (let page = 0; page < MOST_PAGES && subjects.length < MOST; page++) {
    const { data, next, more }: FoundSubjects = jsonOf(
      await ask('listSubjects', { query: { person, after, limit: AT_ONCE } }),
    )
    subjects.push(...data)
    if (!more) return { subjects, isCut: false }
    after = next
  }
  return { subjects, isCut: true }
}

function contentOf({ subjects, isCut }: Found, request: PageRequest, digits: string): Html {
  const { t, viewer } = request
  if (subjects.length === 0)
    return empty(
      t`Nothing is stored about this number.`,
      viewer.can('events.read')
        ? t`Check the digits. What retention or a redaction removed is not found.`
        : t.of(MASKED_ADVICE),
    )
  return html`${isCut && html`<p class="flash warn" role="status">${t`These are the newest ${{ count: subjects.length }} of more.`} <a href="/ui/?search=${digits}">${t`Search for all of them`}</a></p>`}
${sumsTable(subjects, request)}
${subjectList(request, subjects, '')}`
}

interface Sum {
  readonly kind: string
  readonly status: string | null
  readonly count: number
  readonly cents: bigint | null
}

function sumsTable(subjects: readonly SubjectView[], { t, language }: PageRequest): Html {
  return table<Sum>(
    t`Sums by kind and status`,
    [
      { title: t`Kind`, cell: ({ kind }) => kindText(kind, t), isName: true },
      { title: t`Status`, cell: ({ status }) => status !== null && statusHtml(status, t) },
      { title: t`Number`, cell: ({ count }) => count, isNumber: true },
      {
        title: t`Amount`,
        cell: ({ cents }) => cents !== null && amountFormat(language).format(decimalOf(cents)),
        isNumber: true,
      },
    ],
    sumsOf(subjects),
  )
}

export function sumsOf(subjects: readonly SubjectView[]): Sum[] {
  const groups = Map.groupBy(subjects, ({ kind, status }) => JSON.stringify([kind, status]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const amounts = group.flatMap(({ amount }) => (amount === null ? [] : centsOf(amount)))
    const cents = amounts.length === 0 ? null : amounts.reduce((sum, one) => sum + one, 0n)
    return [{ kind: first.kind, status: first.status, count: group.length, cents }]
  })
}

/** Amounts with parts of a cent are cut. */
function centsOf(amount: string): bigint {
  const [whole = '0', part = ''] = amount.replace('-', '').split('.')
  const cents = BigInt(whole) * 100n + BigInt(part.padEnd(2, '0').slice(0, 2))
  return amount.startsWith('-') ? -cents : cents
}

function decimalOf(cents: bigint): `${number}` {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}` as `${number}`
}
