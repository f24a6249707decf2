import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser says that a page of another origin makes this request: by `Sec-Fetch-Site` (Fetch Metadata), or by an `Origin` (RFC 6454) that is
 * not that of the request. Programs send neither.
 */
export function isFromForeignPage({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  // Browsers of pages that send no referrer name no origin either.
  if (origin === 'null') return site !== 'same-origin'
  return !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase()
}
