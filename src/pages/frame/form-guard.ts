import { timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'

/**
 * Whether a request that changes something comes from a page of this gateway. Browsers say so in `Sec-Fetch-Site` (Fetch Metadata) or `Origin`
 * (RFC 6454); a request without both is refused. The scheme of the origin is not compared: a proxy may speak TLS.
 */
export function isFromOwnPage({ headers }: Request): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined && site === undefined) return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin === undefined || (host !== undefined && URL.parse(origin)?.host === host.toLowerCase())
}

/** Whether a browser loads this for a page of another site. Programs without `Sec-Fetch-Site` are none. */
export function isFromOtherSite({ headers }: Request): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}

export function isSameToken(given: string | null, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
