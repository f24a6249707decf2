import type { Answer } from '../../api/calls.ts'
import { forwardingTextIn } from '../../domain/forwarding/forwarding-texts.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { Html, html } from '../parts/html.ts'

/** Why the API refused a request, in the reader's language. */
export interface Problem {
  readonly text: string
  /** English text of the API with what the page cannot say itself; null: the text says it all. */
  readonly quote: string | null
}

interface Violation {
  readonly parameter?: string
  /** JSON Pointer in a fragment. */
  readonly pointer?: string
  readonly detail: string
}

/** The details of these name files, lines, causes and scopes. */
const QUOTED = [
  'certificate_invalid',
  'configuration_invalid',
  'store_unavailable',
  'insufficient_scope',
  'address_forbidden',
]

type Texts = Readonly<Record<string, string>>

/**
 * A text for the field or the form where there is one, else one for the code, with what the API says.
 * @param form path of the form that asked, as in its `FormAction`; left out: a page asked
 */
export function problemOf({ status, json }: Pick<Answer, 'status' | 'json'>, words: Catalogue, form = ''): Problem {
  const {
    code = '',
    detail = '',
    errors = [],
  } = (json ?? {}) as {
    readonly code?: string
    readonly detail?: string
    readonly errors?: readonly Violation[]
  }
  const { problems } = words
  const [fields, forms, codes]: [Texts, Readonly<Record<string, Texts>>, Texts] = [
    problems.fields,
    problems.forms,
    problems.codes,
  ]
  const named = form === '' ? [] : errors.filter(({ parameter, pointer }) => parameter ?? pointer)
  const own = named.length > 0 ? named.map((error) => fields[fieldOf(error, fields)]) : [forms[form]?.[code]]
  const text = own.every((one) => one !== undefined) ? [...new Set(own)].join(' ') : null
  const isWhole = text !== null || !['', 'request_invalid', ...QUOTED].includes(code)
  const quote = [detail, ...errors.map((error) => error.detail)].filter((one) => one !== '').join('; ')
  return {
    text: text ?? codes[code] ?? problems.other(status),
    quote: isWhole || quote === '' ? null : quote,
  }
}

/** The text of each field that has one; the others are in the problem as a whole. */
export function problemsByField({ json }: Pick<Answer, 'json'>, { problems }: Catalogue): ReadonlyMap<string, string> {
  const { errors = [] } = (json ?? {}) as { readonly errors?: readonly Violation[] }
  const fields: Texts = problems.fields
  return new Map(
    errors
      .map((error) => fieldOf(error, fields))
      .flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  )
}

/** The name of the wrong field, as the texts have it. */
function fieldOf({ parameter, pointer = '#' }: Violation, fields: Texts): string {
  const names = parameter === undefined ? pointer.split('/').slice(1).map(decodeURIComponent) : [parameter]
  return names.find((name) => Object.hasOwn(fields, name)) ?? ''
}

/** A text or message, with the quotation below it. */
export function problemHtml(
  { text, quote }: Pick<Problem, 'quote'> & { readonly text: string | Html },
  words: Catalogue,
): Html {
  const shown = text instanceof Html ? text : printable(text)
  if (quote === null) return html`${shown}`
  // Of an address that is not allowed the gateway can say why in every language.
  if (forwardingTextIn(quote) !== null) return html`${shown}<br>${forwardingHtml(quote, words)}`
  return html`${shown}<br>${words.problems.detail}: <q lang="en">${printable(quote)}</q>`
}
