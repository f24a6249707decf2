import type { Catalogue } from '../../messages/catalogue.ts'
import { partsOf, valuesIn } from '../../messages/templates.ts'
import { printable } from '../../platform/control-characters.ts'
import { type Html, html } from '../parts/html.ts'
import { withTimes } from '../parts/time.ts'

/** A finding's text with its values in the reader's language; null: it is not one of the known texts. */
export function foundWords(code: string, found: string, { findings, values }: Catalogue['check']): Html | null {
  const texts = Object.hasOwn(values, code) ? (values[code] ?? []) : []
  for (const [template, own] of texts.toSorted(([one], [other]) => other.length - one.length)) {
    const given = valuesIn(template, found)
    if (given === null) continue
    if (own === '') return html`${findings[code]?.found}`
    return html`${partsOf(own).map((part, index) => (index % 2 === 0 ? part : shownValue(part, given[part] ?? '')))}`
  }
  return null
}

function shownValue(name: string, value: string): Html {
  return name === 'words' ? html`<q lang="en">${printable(value)}</q>` : withTimes(printable(value))
}
