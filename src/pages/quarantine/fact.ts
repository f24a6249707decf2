import type { View } from '../../api/http/schema-parts.ts'
import type { quarantinedDetailSchema, quarantinedSchema } from '../../api/quarantine/schema.ts'
import type { QuarantineState } from '../../domain/quarantine.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { badge, type Tone } from '../parts/badge.ts'
import type { Html } from '../parts/html.ts'

export const REASONS: Readonly<Record<FactView['reason'], Said>> = {
  account_foreign: say`it names an account that is not allowed`,
  account_missing: say`it names no account`,
}

export const STATES: Readonly<Record<QuarantineState, Said>> = {
  quarantined: say`waits for a decision`,
  released: say`released`,
  discarded: say`discarded`,
}

export type FactView = View<typeof quarantinedSchema>
export type FactDetail = View<typeof quarantinedDetailSchema>

const TONES: Readonly<Record<QuarantineState, Tone>> = { quarantined: 'warn', released: 'good', discarded: null }

export function factState({ state }: Pick<FactView, 'state'>, t: Speaker): Html {
  return badge(t.of(STATES[state]), TONES[state])
}
