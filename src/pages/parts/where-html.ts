import type { ShownDelivery, Standing } from '../../domain/whereabouts.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { type Sentence, sentencesOf } from '../../messages/where.ts'
import { printable } from '../../platform/control-characters.ts'
import { badge, type Tone } from './badge.ts'
import { type Html, html } from './html.ts'
import { timeOf } from './time.ts'

const TONES: Readonly<Partial<Record<Standing, Tone>>> = {
  exhausted: 'bad',
  refused: 'bad',
  unreached: 'bad',
  paused: 'warn',
  stopped: 'warn',
  delivered: 'good',
}

/** Where a payment, or an event, is. @param isEvery whether the person sees the deliveries to all destinations */
export function whereHtml(deliveries: readonly ShownDelivery[], isEvery: boolean, t: Speaker): Html {
  const sentences = sentencesOf(deliveries, t)
  if (sentences.length === 0)
    return html`<span>${isEvery ? t`no destination asked for it` : t`none of your destinations asked for it`}</span>`
  return html`<span class="where">${sentences.map((one) => html`${badge(sentenceHtml(one), TONES[one.standing] ?? null)} `)}</span>`
}

export function sentenceHtml({ text, next }: Sentence): Html {
  return html`${printable(text)}${next && html`, ${next.label} ${timeOf(next.at)}`}`
}
