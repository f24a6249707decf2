import type { IncomingMessage } from 'node:http'

const NOT_KEPT = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'connection',
  'keep-alive',
  'te',
  'upgrade',
  'expect',
])
const MAX_VALUE = 1024
/** Deliveries repeat it, so nothing may be removed from it (RFC 8586 section 2). */
const WHOLE = 'cdn-loop'

/** JSON array of [name, value]: the received headers without credentials and connection headers. */
export function relevantHeaders(request: IncomingMessage): string {
  const kept: [string, string][] = []
  const { rawHeaders } = request
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    if (!NOT_KEPT.has(name)) kept.push([name, name === WHOLE ? value : value.slice(0, MAX_VALUE)])
  }
  return JSON.stringify(kept)
}
