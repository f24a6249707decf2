import type { Answer } from '../../api/calls.ts'
import { forwardingTextIn } from '../../domain/forwarding/forwarding-texts.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { Html, html } from '../parts/html.ts'
import { CODES, FIELDS, FORMS } from './problem-texts.ts'

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

/**
 * A text for the field or the form where there is one, else one for the code, with what the API says.
 * @param form path of the form that asked, as in its `FormAction`; left out: a page asked
 */
export function problemOf({ status, json }: Pick<Answer, 'status' | 'json'>, t: Speaker, form = ''): Problem {
  const {
    code = '',
    detail = '',
    errors = [],
  } = (json ?? {}) as {
    readonly code?: string
    readonly detail?: string
    readonly errors?: readonly Violation[]
  }
  const named = form === '' ? [] : errors.filter(({ parameter, pointer }) => parameter ?? pointer)
  const own = named.length > 0 ? named.map((error) => t.at(FIELDS, fieldOf(error))) : [t.at(FORMS[form] ?? {}, code)]
  const text = own.every((one) => one !== null) ? [...new Set(own)].join(' ') : null
  const isWhole = text !== null || !['', 'request_invalid', ...QUOTED].includes(code)
  const quote = [detail, ...errors.map((error) => error.detail)].filter((one) => one !== '').join('; ')
  return {
    text: text ?? t.at(CODES, code) ?? t`The API answered HTTP ${{ status }}.`,
    quote: isWhole || quote === '' ? null : quote,
  }
}

/** The text of each field that has one; the others are in the problem as a whole. */
export function problemsByField({ json }: Pick<Answer, 'json'>, t: Speaker): ReadonlyMap<string, string> {
  const { errors = [] } = (json ?? {}) as { readonly errors?: readonly Violation[] }
  return new Map(
    errors
      .map(fieldOf)
      .map((name) => [name, t.at(FIELDS, name)] as const)
      .filter((entry): entry is readonly [string, string] => entry[1] !== null),
  )
}

/** The name of the wrong field, as the texts have it. */
function fieldOf({ parameter, pointer = '#' }: Violation): string {
  const names = parameter === undefined ? pointer.split('/').slice(1).map(decodeURIComponent) : [parameter]
  return names.find((name) => Object.hasOwn(FIELDS, name)) ?? ''
}

/** A text or message, with the quotation below it. */
export function problemHtml(
  { text, quote }: Pick<Problem, 'quote'> & { readonly text: string | Html },
  t: Speaker,
): Html {
  const shown = text instanceof Html ? text : printable(text)
  if (quote === null) return html`${shown}`
  // Of an address that is not allowed the gateway can say why in every language.
  if (forwardingTextIn(quote) !== null) return html`${shown}<br>${forwardingHtml(quote, t)}`
  return html`${shown}<br>${t`Detail of the API`}: <q lang="en">${printable(quote)}</q>`
}
