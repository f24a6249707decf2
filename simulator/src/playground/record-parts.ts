import { type Html, html } from '../http/html.ts'
import { addressOf } from './endpoint-pages.ts'
import type { Operation } from './operations.ts'
import type { View } from './page.ts'
import { amountOf, factsOf, linkTo, tableOf, timeOf } from './parts.ts'
import type { Section } from './sections.ts'
import { MEMBER_WORDS } from './words/members.ts'
import { filled, textIn } from './words/words.ts'

type Json = Readonly<Record<string, unknown>>

/** An answer of the control API about the chosen environment. @throws ControlError */
export async function askRecord<T = Json>(
  { surroundings, caller }: View,
  id: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {},
): Promise<T> {
  const request = { params, query: { ...query, environment: caller.environment } }
  return (await surroundings.askControl(id, request)).json as T
}

/** Pages of records by the member that names one. */
const PAGES_BY_MEMBER: Readonly<Record<string, Section>> = {
  account: 'accounts',
  charge_id: 'charges',
  subscription_id: 'subscriptions',
  carnet_id: 'carnets',
  codBarras: 'bills',
}

const AMOUNTS = [
  'balance',
  'available',
  'judicial',
  'med',
  'total',
  'to_pay',
  'cents',
  'value',
  'amount',
  'due',
  'min',
  'max',
]

/** Any value of the control API: amounts with reais, times of the service, links to records and pages. */
function shownValue(view: View, name: string, value: unknown): Html {
  if (value === null || value === undefined) return html`–`
  if (Array.isArray(value)) return listOf(view, name, value)
  if (typeof value === 'object')
    return Object.keys(value).length === 0 ? html`–` : factsOf(membersOf(view, value as Json))
  if (typeof value === 'number' && AMOUNTS.includes(name)) return html`<span class="amount">${amountOf(value)}</span>`
  const text = String(value)
  const page = PAGES_BY_MEMBER[name]
  if (page !== undefined) return linkTo(view.link(`/${page}/${encodeURIComponent(text)}`), text)
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text)) return timeOf(view, text)
  if (/^https?:\/\/\S+$/.test(text)) return isPage(text) ? linkTo(text, text) : html`<code>${text}</code>`
  return /^(status|state)$/.test(name) ? html`<span class="badge">${text}</span>` : html`${text}`
}

/** Pages for payers and end clients, and no address of an integrator. */
function isPage(address: string): boolean {
  return /^\/(payment-links|billets|carnets|openings|certificates)\//.test(new URL(address).pathname)
}

function listOf(view: View, name: string, values: readonly unknown[]): Html {
  const objects = values.filter((one) => typeof one === 'object' && one !== null) as Json[]
  if (objects.length > 0) return recordTable(view, objects)
  if (values.length === 0) return html`–`
  return html`<ul class="values">${values.map((one) => html`<li>${shownValue(view, name, one)}</li>`)}</ul>`
}

export function membersOf(view: View, record: Json): (readonly [string, Html])[] {
  return Object.entries(record).map(([name, value]) => [inWords(view, name), shownValue(view, name, value)] as const)
}

/** The name of a member, and what it is in words. */
export function inWords({ language }: View, name: string): string {
  const words = Object.hasOwn(MEMBER_WORDS[language], name) ? MEMBER_WORDS[language][name] : undefined
  return words === undefined ? name : `${name} · ${words}`
}

/** A page stays readable, and small. */
const MOST_SHOWN = 200

/** A table of records, at most 200: a column for each member. @param actions a last column */
export function recordTable(view: View, records: readonly Json[], actions?: (record: Json) => Html): Html {
  const { words } = view
  const names = [...new Set(records.flatMap((one) => Object.keys(one)))]
  const rows = records.slice(0, MOST_SHOWN).map((record) => {
    const cells = names.map((name) => shownValue(view, name, record[name]))
    return actions === undefined ? cells : [...cells, actions(record)]
  })
  const titles = names.map((name) => inWords(view, name))
  const table = tableOf(actions === undefined ? titles : [...titles, words.records.actions], rows, words.records.none)
  const more = records.length - rows.length
  return more === 0 ? table : html`${table}<p class="hint">${filled(words.records.more, { count: more })}</p>`
}

interface Outlook {
  readonly clock: { readonly now: string; readonly frozen: boolean }
  readonly history: readonly { readonly at: string; readonly what: string }[]
  readonly next: readonly { readonly at: string | null; readonly what: string }[]
}

/** A record as `ctl show` has it: its members, its history, and what comes next. */
export function recordOf(view: View, record: Json): Html {
  const { words } = view
  const { clock, history, next, ...members } = record as Json & Outlook
  return html`${factsOf(membersOf(view, members))}
<h2>${words.records.history}</h2>
${tableOf(
  [words.records.when, words.records.what],
  history.map(({ at, what }) => [timeOf(view, at), what]),
  words.records.none,
)}
<h2>${words.records.next}</h2>
${clock.frozen ? html`<p class="hint">${words.records.frozen}</p>` : null}
${tableOf(
  [words.records.when, words.records.what],
  next.map(({ at, what }) => [at === null ? words.records.notByItself : timeOf(view, at), what]),
  words.records.nothing,
)}`
}

export function actionsOf(view: View, forms: readonly (Html | null)[]): Html {
  const shown = forms.filter((one) => one !== null)
  return html`<h2>${view.words.records.actions}</h2><div class="actions">${shown}</div>`
}

const IS_RELATED: Partial<Readonly<Record<Section, (operation: Operation) => boolean>>> = {
  accounts: ({ on }) => on === 'account',
  charges: ({ path }) => /^\/v1\/(charge|notification)\b/.test(path),
  subscriptions: ({ path }) => /^\/v1\/(plans?|subscription)\b/.test(path),
  carnets: ({ path }) => path.startsWith('/v1/carnet'),
  bills: ({ on, path }) => on === 'payment' && !path.includes('webhook'),
  openings: ({ path }) => path.includes('conta-simplificada'),
  'open-banking': ({ on }) => on === 'open-banking',
  webhooks: ({ path }) => path.includes('/webhook'),
}

/** The endpoints that are about these records. */
export async function relatedEndpoints(view: View, section: Section): Promise<Html> {
  const { words, surroundings } = view
  const isRelated = IS_RELATED[section] ?? (() => false)
  const found = (await surroundings.operations()).filter((one) => isRelated(one) && one.id !== 'token')
  const items = found.map(
    (one) =>
      html`<li><a href="${addressOf(view, one)}"><code>${one.method} ${one.path}</code></a> <span class="hint">${textIn(words, one.summary)}</span></li>`,
  )
  return html`<h2>${words.sections.endpoints}</h2><ul class="values">${items}</ul>`
}
