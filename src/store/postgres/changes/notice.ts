import type { Changes } from '../../../domain/nodes/foreign-changes.ts'
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

/** null: it is none of ours. */
export function noticeOf(text: string | undefined): Notice | null {
  try {
    const notice = JSON.parse(text ?? '') as Notice
    return Number.isInteger(notice.number) ? notice : null
  } catch {
    return null
  }
}
