import { createHmac } from 'node:crypto'

/**
 * A gateway's name in `CDN-Loop` (RFC 8586), the same for the whole life of its database. It is made from a secret of the database, of which it
 * tells nothing.
 */
export function instanceNameOf(secret: string): string {
  return `portaria-${createHmac('sha256', secret).update('portaria: name in CDN-Loop').digest('hex').slice(0, 16)}`
}

/** Whether a request has been sent by this instance. Only the name of each entry counts, never what stands in a parameter. */
export function hasPassed(loop: string | readonly string[], instance: string): boolean {
  const entries = String(loop).replace(QUOTED, '').split(',')
  return entries.some((entry) => entry.split(';', 1)[0]?.trim().toLowerCase() === instance)
}

/** What a delivery says: everything that its callback came with, and then this instance. */
export function loopBehind(passed: string | undefined, instance: string): string {
  return passed === undefined || !IS_TEXT.test(passed) ? instance : `${passed}, ${instance}`
}

/** Of our own answer 508, by which the sender knows it. */
export function loopText(instance: string): string {
  return `loop detected by ${instance}: it has sent this request itself (CDN-Loop)`
}

/** RFC 9110 section 5.6.4. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** Anything else could not be sent. */
const IS_TEXT = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
