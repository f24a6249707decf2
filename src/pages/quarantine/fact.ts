import type { QuarantineReason } from '../../domain/accounts.ts'
import type { QuarantineState } from '../../domain/quarantine.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import type { EventView, Evidence } from '../event/model.ts'
import { badge, type Tone } from '../parts/badge.ts'
import type { Html } from '../parts/html.ts'

type SharedWithEvents =
  | ('id' | 'kind' | 'environment' | 'subject' | 'status' | 'receivedAt')
  | ('part' | 'callback' | 'payloadRemovedAt')

/** A quarantined fact of the API. */
export interface ShownFact extends Pick<EventView, SharedWithEvents> {
  readonly state: QuarantineState
  readonly reason: QuarantineReason
  readonly seen: number
  readonly lastSeenAt: string
  readonly decidedAt: string | null
  readonly decidedBy: string | null
  readonly event: string | null
}

export interface FactDetail extends ShownFact, Pick<EventView, 'data' | 'dataBase64' | 'contentType' | 'masked'> {
  readonly evidence: Evidence
}

const TONES: Readonly<Record<QuarantineState, Tone>> = { quarantined: 'warn', released: 'good', discarded: null }

export function factState({ state }: Pick<ShownFact, 'state'>, { quarantine }: Catalogue): Html {
  return badge(quarantine.states[state], TONES[state])
}
