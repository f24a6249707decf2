import type { SubjectView } from '../../api/subjects/view.ts'
import { personNumberOf } from '../../domain/search/event-payer.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { amountFormat } from '../event/amount.ts'
import { empty } from '../parts/empty.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { documentText } from '../parts/person.ts'
import { statusHtml } from '../parts/status-word.ts'
import { table } from '../parts/table.ts'
import { type FoundSubjects, subjectList } from './subjects.ts'

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
    const { query, words } = request
    const { person } = words.find
    const digits = personNumberOf(query.get('number') ?? '')
    const title = digits === null ? person.title : `${person.title} ${documentText(digits)}`
    const found = digits === null ? null : await allOf(request, digits)
    const body = html`<p><a href="/ui/">${words.event.back}</a></p>
<h1>${title}</h1>
<form method="get" action="/ui/person" class="card"><div class="fields"><p><label for="number">${person.number}</label>
<input id="number" name="number" value="${query.get('number') ?? ''}" maxlength="18" inputmode="numeric" autocomplete="off" required></p>
<p><button>${words.find.button}</button></p></div></form>
${found === null ? (query.get('number') ?? '') !== '' && html`<p class="flash bad" role="alert">${person.wrong}</p>` : contentOf(found, request, digits ?? '')}`
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
  const { words, viewer } = request
  const { find } = words
  if (subjects.length === 0)
    return empty(find.person.nothing, viewer.can('events.read') ? find.person.advice : find.maskedAdvice)
  return html`${isCut && html`<p class="flash warn" role="status">${find.person.cut(subjects.length)} <a href="/ui/?search=${digits}">${find.person.all}</a></p>`}
${sumsTable(subjects, request)}
${subjectList(request, subjects, '')}`
}

interface Sum {
  readonly kind: string
  readonly status: string | null
  readonly count: number
  readonly cents: bigint | null
}

function sumsTable(subjects: readonly SubjectView[], { words, language }: PageRequest): Html {
  const { find } = words
  return table<Sum>(
    find.person.sums,
    [
      { title: find.kind, cell: ({ kind }) => kindText(kind, words), isName: true },
      { title: find.status, cell: ({ status }) => status !== null && statusHtml(status, words) },
      { title: find.person.count, cell: ({ count }) => count, isNumber: true },
      {
        title: find.amount,
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
