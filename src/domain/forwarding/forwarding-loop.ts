/**
 * A delivery may come back to its own gateway, directly or through others, and would then be stored and sent again for
 * ever (RFC 8586). The name is derived from the token key of the database: secret, and as old as the database. The
 * callback's own CDN-Loop is read from its stored headers when the delivery is claimed.
 */

import { createHmac } from 'node:crypto'

/**
 * A gateway's name in `CDN-Loop` (RFC 8586), constant for the life of its database. It is derived from a secret of the database and reveals nothing
 * about it.
 */
export function instanceNameOf(secret: string): string {
  return `portaria-${createHmac('sha256', secret).update('portaria: name in CDN-Loop').digest('hex').slice(0, 16)}`
}

/** Whether this instance sent a request. Only the name of each entry counts, not its parameters. */
export function hasPassed(loop: string | readonly string[], instance: string): boolean {
  const entries = String(loop).replace(QUOTED, '').split(',')
  return entries.some((entry) => entry.split(';', 1)[0]?.trim().toLowerCase() === instance)
}

/** The header of a delivery: the header of its callback, followed by this instance. */
export function loopBehind(passed: string | undefined, instance: string): string {
  return passed === undefined || !IS_TEXT.test(passed) ? instance : `${passed}, ${instance}`
}

/** The CDN-Loop header among a callback's headers, a JSON array of pairs. Several header lines form one list (RFC 9110 section 5.3). */
export function loopIn(headers: string): string | undefined {
  if (!headers.includes('["cdn-loop",')) return undefined
  const values = (JSON.parse(headers) as [string, string][]).filter(([name]) => name === 'cdn-loop')
  return values.map(([, value]) => value).join(', ')
}

/** The body of our answer 508, by which the sender recognises it. */
export function loopText(instance: string): string {
  return `loop detected by ${instance}: it has sent this request itself (CDN-Loop)`
}

/** RFC 9110 section 5.6.4. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** Other characters cannot be sent. */
const IS_TEXT = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
