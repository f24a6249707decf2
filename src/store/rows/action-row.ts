import { z } from 'zod'
import type { ActionDetails, ActionRecord, NewAction } from '../../domain/actions/action.ts'
import { digestOf, hashBehind, hexOf } from '../../domain/event-hash.ts'

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

export function actionOfRow({ refers_to: refersTo, details, hash, ...row }: ActionRow): ActionRecord {
  return { ...row, details: detailsOf(details), refersTo, hash: hexOf(hash) }
}

/** A text that was changed by hand is shown as it is: `storage verify` reports the entry. */
function detailsOf(text: string | null): ActionDetails | null {
  if (text === null) return null
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text))
  } catch {
    return { text }
  }
}
