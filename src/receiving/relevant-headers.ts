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

/** JSON array of [name, value]: the received headers without credentials and connection headers. Equal headers in a row give the same text. */
export function createHeaderReader(): (request: IncomingMessage) => string {
  let last: { readonly raw: readonly string[]; readonly text: string } = { raw: [], text: '[]' }

  return function relevantHeaders({ rawHeaders: raw }) {
    if (!isEqual(raw, last.raw)) last = { raw, text: JSON.stringify(relevantOf(raw)) }
    return last.text
  }
}

function relevantOf(raw: readonly string[]): [string, string][] {
  const kept: [string, string][] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    const value = raw[i + 1] as string
    if (!NOT_KEPT.has(name)) kept.push([name, name === WHOLE ? value : value.slice(0, MAX_VALUE)])
  }
  return kept
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}
