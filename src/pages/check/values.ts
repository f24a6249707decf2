import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { type Html, html } from '../parts/html.ts'
import { withTimes } from '../parts/time.ts'

const PLACE = /\{(\w+)\}/

/** A finding's text with its values in the reader's language; null: it is not one of the known texts. */
export function foundWords(code: string, found: string, { findings, values }: Catalogue['check']): Html | null {
  const texts = Object.hasOwn(values, code) ? (values[code] ?? []) : []
  for (const [template, own] of texts.toSorted(([one], [other]) => other.length - one.length)) {
    const groups = patternOf(template).exec(found)?.groups
    if (groups === undefined && found !== template) continue
    if (own === '') return html`${findings[code]?.found}`
    return html`${own.split(PLACE).map((part, index) => (index % 2 === 0 ? part : shownValue(part, groups?.[part] ?? '')))}`
  }
  return null
}

function shownValue(name: string, value: string): Html {
  return name === 'words' ? html`<q lang="en">${printable(value)}</q>` : withTimes(printable(value))
}

function patternOf(template: string): RegExp {
  const parts = template
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(?<${part}>.+?)`))
  return new RegExp(`^${parts.join('')}$`, 's')
}
