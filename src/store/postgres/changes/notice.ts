import type { ConsumerKey } from '../../../domain/consumer.ts'
import { CHANGE_SORTS, type Changes } from '../../../domain/nodes/foreign-changes.ts'
import { ALL_CHANGES } from './changes.ts'

/** A commit of one node, as all nodes hear it. */
export interface Notice {
  /** The process, as in WriterParts. */
  readonly origin: string
  /** Of the commit, as in `Head.changes`. */
  readonly number: number
  /** Its events are behind `after`, up to `position`. */
  readonly after: number
  readonly position: number
  readonly changes: Changes
}

/** PostgreSQL's limit is 8,000. */
const MOST_BYTES = 7900

export function textOf(notice: Notice): string {
  const text = JSON.stringify(notice)
  return Buffer.byteLength(text) <= MOST_BYTES ? text : JSON.stringify({ ...notice, changes: ALL_CHANGES })
}

/**
 * Every role that may connect to the database can send a notice, and so can another version of Portaria. Each member is checked, and an unknown one may
 * tell of a change that this version does not know.
 * @returns null: it is not a notice of this version
 */
export function noticeOf(text: string | undefined): Notice | null {
  const value = parsed(text)
  return isNotice(value) ? value : null
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}

function isNotice(value: unknown): value is Notice {
  if (!hasOnly(value, ['origin', 'number', 'after', 'position', 'changes'])) return false
  const { origin, number, after, position, changes } = value
  return (
    typeof origin === 'string' &&
    isCount(number) &&
    isCount(after) &&
    isCount(position) &&
    after <= position &&
    isChanges(changes)
  )
}

function isChanges(value: unknown): value is Changes {
  if (!hasOnly(value, ['destinationIds', 'droppedIds', 'consumers', 'sorts'])) return false
  const { destinationIds, droppedIds, consumers, sorts } = value
  return (
    isSomeOf(destinationIds, isCount) &&
    isSomeOf(droppedIds, isCount) &&
    isSomeOf(consumers, isConsumerKey) &&
    Array.isArray(sorts) &&
    sorts.every((sort) => CHANGE_SORTS.includes(sort))
  )
}

function isSomeOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return value === 'all' || (Array.isArray(value) && value.every(isOne))
}

function isConsumerKey(value: unknown): value is ConsumerKey {
  if (!hasOnly(value, ['owner', 'name'])) return false
  return (value.owner === null || typeof value.owner === 'string') && typeof value.name === 'string'
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Whether it is an object with these members and no other. */
function hasOnly<K extends string>(value: unknown, names: readonly K[]): value is Record<K, unknown> {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))
}
