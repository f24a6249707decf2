import type { View } from '../../api/http/schema-parts.ts'
import type { quarantinedDetailSchema, quarantinedSchema } from '../../api/quarantine/schema.ts'
import type { QuarantineState } from '../../domain/quarantine.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { badge, type Tone } from '../parts/badge.ts'
import type { Html } from '../parts/html.ts'

export type FactView = View<typeof quarantinedSchema>
export type FactDetail = View<typeof quarantinedDetailSchema>

const TONES: Readonly<Record<QuarantineState, Tone>> = { quarantined: 'warn', released: 'good', discarded: null }

export function factState({ state }: Pick<FactView, 'state'>, { quarantine }: Catalogue): Html {
  return badge(quarantine.states[state], TONES[state])
}
