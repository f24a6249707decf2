import type { View } from '../../api/http/schema-parts.ts'
import type { replayCountSchema, replaySchema } from '../../api/replays/schema.ts'
import type { ReplayState } from '../../domain/replay.ts'
import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { type Html, html } from '../parts/html.ts'

export const MODE_TEXTS: Readonly<Record<SelectionView['mode'], Said>> = {
  missing: say`never delivered, failed ones included`,
  failed: say`with a canceled delivery, or one with no more tries`,
  all: say`every matching event`,
}

const STATES: Readonly<Record<ReplayState, Said>> = {
  running: say`running`,
  done: say`done`,
  canceled: inContext('replay', say`canceled`),
  failed: inContext('outcome', say`failed`),
}

/** Which events a replay takes. */
export type SelectionView = View<typeof replayCountSchema>
export type ReplayView = View<typeof replaySchema>

const TONES: Readonly<Record<ReplayState, Tone>> = { running: 'info', done: 'good', canceled: null, failed: 'bad' }

/** One that has created all of its deliveries is not done for a person, as long as some of them wait. */
export function replayState({ state, waiting }: Pick<ReplayView, 'state' | 'waiting'>, t: Speaker): Html {
  if (state === 'done' && waiting > 0) return badge(t`sending`, 'info')
  return badge(t.of(STATES[state]), TONES[state])
}

/** How many deliveries have ended, of the events that matched at the count; a replay that is done has created all of its deliveries. */
export function progressOf({ state, created, waiting, matched }: ReplayView, t: Speaker): Html {
  const all = state === 'done' ? created : Math.max(matched, created)
  const ended = created - waiting
  const text = t`${{ delivered: ended }} of ${{ matched: all }}`
  const [max, value] = all === 0 ? [1, 1] : [all, ended]
  return html`<progress max="${max}" value="${value}" aria-label="${t`Progress`}">${text}</progress> <span class="number">${text}</span>`
}

/** Whether the API would cancel it: it runs, or has deliveries that wait. */
export function canCancel({ state, waiting }: ReplayView): boolean {
  return state === 'running' || (waiting > 0 && state !== 'canceled')
}
