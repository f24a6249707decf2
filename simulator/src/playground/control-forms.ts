import { controlDocument } from '../control-api/control-openapi.ts'
import {
  type DescribedOperation,
  describedOperations,
  type OpenApiDocument,
  type Parameter,
} from '../documents/described-operations.ts'
import type { Schema } from '../documents/json-schema.ts'
import { exampleOf, fits } from '../documents/schema-example.ts'
import { type Html, html } from '../http/html.ts'
import { addDays } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import { fieldOf } from './form.ts'
import type { View } from './page.ts'
import { textIn } from './words/words.ts'

export interface ControlFormOptions {
  /** Segments of the path that are known. The others are fields. */
  readonly params?: Readonly<Record<string, string>>
  /** What the fields are filled with; left out: examples of what is required. */
  readonly body?: object
  /** Of the button; default: the words of the operation. */
  readonly title?: string
  readonly isDanger?: boolean
  /** Sends `body` as it is, by a button without fields. */
  readonly isFixed?: boolean
}

const cached = new WeakMap<object, ReadonlyMap<string, DescribedOperation>>()

/** By operation id, from the OpenAPI document of the control API. */
function controlOperations({ surroundings: { control } }: View): ReadonlyMap<string, DescribedOperation> {
  const read = () =>
    describedOperations(controlDocument(control) as OpenApiDocument).map((one) => [one.id, one] as const)
  const found = cached.get(control) ?? new Map(read())
  cached.set(control, found)
  return found
}

/** Examples of what the control API takes, by the end of a member's path. */
const KNOWN = {
  by: '30d',
  amount: 15_010,
  balance: 100_000_000,
  kind: 'pixRecebido',
  description: 'A payment of a friend',
  reason: 'Saldo insuficiente',
  name: 'Padaria Central Ltda',
  tradeName: 'Padaria Central',
  document: '11222333000181',
  bank: 237,
  cents: 15_010,
  brand: 'visa',
  count: 3,
  text: '{"evento":"conta_aberta"}',
  base64: 'eyJldmVudG8iOiJjb250YV9hYmVydGEifQ==',
  status: 503,
}

/** A button that asks for an operation of the control API, with fields for what is not known. The page loads again afterwards. */
export function controlForm(view: View, id: string, options: ControlFormOptions = {}): Html {
  const operation = controlOperations(view).get(id)
  if (operation === undefined) throw new Error(`unreachable: there is no operation ${id}`)
  const {
    params = {},
    body,
    title = textIn(view.words, operation.summary),
    isDanger = false,
    isFixed = false,
  } = options
  if (body !== undefined && !fits((operation.body?.schema ?? {}) as never, body))
    throw new Error(`unreachable: ${id} does not take this`)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    params[name] === undefined ? whole : encodeURIComponent(params[name]),
  )
  const open = operation.parameters.filter((one) => one.in === 'path' && params[one.name] === undefined)
  const fields = isFixed ? null : fieldsOf(view, operation, open, body)
  const fixed = isFixed && body !== undefined ? html` data-fixed="${JSON.stringify(body)}"` : null
  const send = html`<button${isDanger ? html` class="danger"` : null}>${title}</button><div role="status" data-output></div>`
  const form = html`<form class="control" data-control="${id}" data-method="${operation.method}" data-post="${path}?environment=${view.caller.environment}" data-then="reload"${fixed}>${fields}${send}</form>`
  return fields === null ? form : html`<details class="card"><summary>${title}</summary>${form}</details>`
}

function fieldsOf(
  view: View,
  { body: described }: DescribedOperation,
  open: readonly Parameter[],
  given: object | undefined,
): Html | null {
  const { words } = view
  const schema = described?.schema ?? null
  const example = examples(view)
  const context = { words, exampleOf: example }
  const segments = open.map(
    (one) =>
      html`<div data-parameter="path">${fieldOf(context, { schema: one.schema, path: [one.name], value: undefined, isRequired: true })}</div>`,
  )
  const value = given ?? (schema === null ? undefined : requiredOf(schema, example))
  const body =
    schema === null
      ? null
      : html`<div data-body>${fieldOf(context, { schema, path: [], value, isRequired: true })}</div>`
  return segments.length === 0 && body === null ? null : html`${segments}${body}`
}

/** Examples of the required members; the others are left out. */
function requiredOf(schema: Schema, example: (schema: Schema, path: readonly string[]) => unknown): unknown {
  const alternative = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].find(({ type }) => type !== 'null')
  if (alternative !== undefined) return requiredOf(alternative, example)
  const required = schema.required ?? []
  return Object.fromEntries(required.map((name) => [name, example(schema.properties?.[name] ?? {}, [name])]))
}

function examples({ surroundings, caller }: View) {
  const { clock, settings } = surroundings.sites[caller.environment]
  const today = localDate(clock.now(), settings.timeZone)
  const known = {
    ...KNOWN,
    dueDate: addDays(today, 7),
    payableUntil: addDays(today, 60),
    until: addDays(today, 3),
    now: new Date(clock.now()).toISOString(),
    account: caller.application.account,
    clientId: caller.application.clientId,
  }
  return (schema: Schema, path: readonly string[]) => exampleOf(schema as never, known, path)
}
