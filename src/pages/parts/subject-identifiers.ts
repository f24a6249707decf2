import { printable } from '../../platform/control-characters.ts'
import type { SubjectIdentifiers } from '../../platform/certificate-subject.ts'
import { type Html, html } from './html.ts'

/** By the names that `allow.subject` has; null: there are none. */
export function identifiersText(identifiers: SubjectIdentifiers | undefined): Html | null {
  const texts = Object.entries(identifiers ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value) => `${name}: ${printable(value)}`),
  )
  return texts.length === 0 ? null : html`<span class="id">${texts.join(', ')}</span>`
}
