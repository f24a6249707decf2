import { type Html, html } from './html.ts'

/** `null`: neutral. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | null

/** A short word about a state. The text says it all: the colour and the sign before it only help. */
export function badge(text: string | Html, tone: Tone = null): Html {
  return html`<span class="badge${tone && ` ${tone}`}">${text}</span>`
}
