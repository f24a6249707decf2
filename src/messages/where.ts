import type { DeliveryChoice } from '../domain/delivery.ts'
import { type ShownDelivery, type Standing, type Whereabouts, whereaboutsOf } from '../domain/whereabouts.ts'
import { type Filling, type Said, say } from './say.ts'
import type { Speaker } from './speaker.ts'

/** A sentence about a payment. Where the gateway tries again, the time follows `label`. */
export interface Sentence {
  readonly standing: Standing
  readonly text: string
  /** What happens next, and who must act. */
  readonly then: string
  readonly next: { readonly label: string; readonly at: string } | null
}

type About = (name: string, status: Filling) => Said

/** Where a payment is. Pages, alarms and commands say it in these words. */
const WHERE: Readonly<Record<Standing, About>> = {
  exhausted: (name) => say`${{ name }} did not accept it, and the gateway has stopped trying`,
  refused: (name, status) => say`${{ name }} does not accept it (HTTP ${{ status }})`,
  unreached: (name) => say`${{ name }} does not answer`,
  paused: (name) => say`waits: ${{ name }} is paused`,
  stopped: (name) => say`waits: ${{ name }} accepts nothing at the moment`,
  behind: (name) => say`waits for an earlier event on its way to ${{ name }}`,
  onItsWay: (name) => say`on its way to ${{ name }}`,
  delivered: (name) => say`in ${{ name }}`,
  canceled: (name) => say`not sent to ${{ name }} any more`,
}

/** What happens next, and who must act. */
const NEXT: Readonly<Record<Standing, (name: string) => Said>> = {
  exhausted: (name) => say`Who runs ${{ name }} must correct it. Then send the payment again.`,
  refused: (name) => say`The gateway tries again by itself. Who runs ${{ name }} must correct why it answers so.`,
  unreached: (name) => say`The gateway tries again by itself. Who runs ${{ name }} must see why it does not answer.`,
  paused: (name) => say`It is sent as soon as an operator resumes ${{ name }}.`,
  stopped: (name) => say`The gateway tries again by itself. Who runs ${{ name }} must correct it.`,
  behind: () => say`It is sent behind the earlier event. There is nothing to do.`,
  onItsWay: () => say`It is sent in a moment. There is nothing to do.`,
  delivered: () => say`There is nothing to do.`,
  canceled: () => say`There is nothing to do.`,
}

/** Of a delivery, where there is room for a word. */
export const DELIVERY_WORDS: Readonly<Record<DeliveryChoice, Said>> = {
  pending: say`failing or waiting`,
  failing: say`failing`,
  waiting: say`waiting`,
  blocked: say`waiting for an earlier one with the same reference`,
  delivered: say`delivered`,
  exhausted: say`no more tries`,
  canceled: say`canceled`,
}

/** Where a payment is; empty: no destination wants its events. */
export function sentencesOf(deliveries: readonly ShownDelivery[], t: Speaker): Sentence[] {
  return whereaboutsOf(deliveries).map((where) => sentenceOf(where, t))
}

export function sentenceOf({ standing, names, status, nextAt }: Whereabouts, t: Speaker): Sentence {
  const last = names.slice(-2).join(` ${t`and`} `)
  const all = [...names.slice(0, -2), last].join(', ')
  const [text, then] = [t.of(WHERE[standing](all, status ?? '')), t.of(NEXT[standing](all))]
  return { standing, text, then, next: nextAt === null ? null : { label: t`next try`, at: nextAt } }
}

/** The same where there is only room for text. @param timeOf as the reader's language writes a time @param none for a payment that no destination wants */
export function whereText(
  deliveries: readonly ShownDelivery[],
  t: Speaker,
  { timeOf, none }: { readonly timeOf: (iso: string) => string; readonly none: string },
): string {
  const sentences = sentencesOf(deliveries, t)
  if (sentences.length === 0) return none
  return sentences
    .map(({ text, next }) => (next === null ? text : `${text}, ${next.label} ${timeOf(next.at)}`))
    .join('; ')
}
