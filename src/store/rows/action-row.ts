import type { NewAction } from '../../domain/actions/action.ts'
import { digestOf, hashBehind } from '../../domain/event-hash.ts'

const ENCODING = 'portaria-action-1'

export interface ActionRow {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly channel: NewAction['channel']
  readonly action: string
  readonly target: string | null
  readonly reason: string | null
  /** JSON. */
  readonly details: string | null
  readonly refers_to: number | null
  readonly hash: Buffer
}

/** The hash of an entry behind the one with the hash `previous`. */
export function actionHash(previous: Uint8Array, entry: Omit<ActionRow, 'hash'>): Buffer {
  const { id, at, actor, channel, action, target, reason, details, refers_to: refersTo } = entry
  return hashBehind(previous, digestOf([ENCODING, id, at, actor, channel, action, target, reason, details, refersTo]))
}
