/** Names that a destination's extra headers may not have: ours, and those that frame or route the request. */
const RESERVED: ReadonlySet<string> = new Set([
  'cdn-loop',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** Whether a destination may set this header. What it may not is never sent. */
export function isExtraHeaderAllowed(name: string): boolean {
  const lower = name.toLowerCase()
  return !RESERVED.has(lower) && !lower.startsWith('portaria-') && !lower.startsWith('webhook-')
}
