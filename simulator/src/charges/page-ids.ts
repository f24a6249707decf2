import { randomBytes } from 'node:crypto'

const RANDOM_DIGITS = 24

/** Names the page of a record: 24 random hexadecimal digits, which cannot be guessed, and the record's id, by which the page is found. */
export function newPageId(id: number): string {
  return randomBytes(RANDOM_DIGITS / 2).toString('hex') + id.toString(16).padStart(8, '0')
}

/** The record whose page it would be. The record's own page id must be compared: anybody can write its last digits. */
export function recordOfPage(pageId: string | undefined): number {
  return Number.parseInt(pageId?.slice(RANDOM_DIGITS) ?? '', 16)
}
