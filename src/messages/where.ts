import { type ShownDelivery, type Standing, type Whereabouts, whereaboutsOf } from '../domain/whereabouts.ts'
import type { Catalogue } from './catalogue.ts'

/** A sentence about a payment. Where the gateway tries again, the time follows `label`. */
export interface Sentence {
  readonly standing: Standing
  readonly text: string
  /** What happens next, and who must act. */
  readonly then: string
  readonly next: { readonly label: string; readonly at: string } | null
}

type Words = Pick<Catalogue, 'support'>

/** Where a payment is; empty: no destination wants its events. */
export function sentencesOf(deliveries: readonly ShownDelivery[], words: Words): Sentence[] {
  return whereaboutsOf(deliveries).map((where) => sentenceOf(where, words))
}

export function sentenceOf({ standing, names, status, nextAt }: Whereabouts, { support }: Words): Sentence {
  const last = names.slice(-2).join(` ${support.and} `)
  const all = [...names.slice(0, -2), last].join(', ')
  const [text, then] = [support.where[standing](all, status), support.next[standing](all)]
  return { standing, text, then, next: nextAt === null ? null : { label: support.nextTry, at: nextAt } }
}

/** The same where there is only room for text. @param timeOf as the reader's language writes a time @param none for a payment that no destination wants */
export function whereText(
  deliveries: readonly ShownDelivery[],
  words: Words,
  { timeOf, none }: { readonly timeOf: (iso: string) => string; readonly none: string },
): string {
  const sentences = sentencesOf(deliveries, words)
  if (sentences.length === 0) return none
  return sentences
    .map(({ text, next }) => (next === null ? text : `${text}, ${next.label} ${timeOf(next.at)}`))
    .join('; ')
}
