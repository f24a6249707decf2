import type { Environment } from '../../domain/event.ts'
import type { ReplayMode, ReplayState } from '../../domain/replay.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { badge, type Tone } from '../parts/badge.ts'
import { type Html, html } from '../parts/html.ts'

/** Which events a replay takes. */
export interface ShownSelection {
  readonly destination: string
  readonly destinationName: string
  readonly mode: ReplayMode
  readonly filter: {
    readonly kinds?: readonly string[]
    readonly environment?: Environment
    readonly subject?: string
    readonly status?: string
    readonly from?: string
    readonly to?: string
  }
  readonly matched: number
}

/** A replay of the API. */
export interface ShownReplay extends ShownSelection {
  readonly id: string
  readonly state: ReplayState
  readonly reason: string | null
  readonly owed: number
  readonly waiting: number
  readonly askedBy: string | null
  readonly createdAt: string
  readonly endedAt: string | null
}

const TONES: Readonly<Record<ReplayState, Tone>> = { running: 'info', done: 'good', canceled: null, failed: 'bad' }

export function replayState({ state }: Pick<ShownReplay, 'state'>, { replays }: Catalogue): Html {
  return badge(replays.states[state], TONES[state])
}

/** How many deliveries have ended, of the events that matched at the count; a replay that is done has created all of its deliveries. */
export function progressOf({ state, owed, waiting, matched }: ShownReplay, { replays }: Catalogue): Html {
  const all = state === 'done' ? owed : Math.max(matched, owed)
  const ended = owed - waiting
  const text = replays.progressOf(ended, all)
  const [max, value] = all === 0 ? [1, 1] : [all, ended]
  return html`<progress max="${max}" value="${value}" aria-label="${replays.progress}">${text}</progress> <span class="number">${text}</span>`
}

/** Whether the API would cancel it: it runs, or has deliveries that wait. */
export function canCancel({ state, waiting }: ShownReplay): boolean {
  return state === 'running' || (waiting > 0 && state !== 'canceled')
}
