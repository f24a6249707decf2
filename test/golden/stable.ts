import type { TestSite } from '../support/gateway.ts'

/** What differs from run to run; what takes its place is as wide, so that columns stay where they are. */
const CHANGING: readonly (readonly [RegExp, (found: string) => string])[] = [
  // The random part of an id.
  [/\bevt_[0-9a-z]{1,11}_[0-9a-z]{10}\b/g, (id) => id.slice(0, -10) + 'x'.repeat(10)],
  [/(?<=\bnonce\b[", ]+)[0-9a-z]{10}\b/g, (nonce) => 'x'.repeat(nonce.length)],
  [/\b(mut|bat)_[0-9a-z]{10}\b/g, (id) => id.slice(0, 4) + 'x'.repeat(10)],
  [/\bcli_(?!sh0p|supp0rt|0ld)[0-9a-z]{10}\b/g, (id) => id.slice(0, 4) + 'x'.repeat(10)],
  // Secrets, and hashes of what has random parts.
  [/\bwhsec_[A-Za-z0-9+/]{20,}={0,2}/g, (secret) => `whsec_${'x'.repeat(secret.length - 6)}`],
  [/\b[0-9a-f]{64}\b/g, (hash) => 'f'.repeat(hash.length)],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, (secret) => 'x'.repeat(secret.length)],
]

/** The text without what another run would have in another form. */
export function stable(text: string, site: TestSite, port: number | null): string {
  // Columns are as wide as the path was.
  const narrowed = text.includes(site.folder) ? text.replaceAll(/(?<=\S) {2,}/g, '  ') : text
  const named = narrowed.replaceAll(site.folder, '/site').replaceAll(`127.0.0.1:${port}`, '127.0.0.1:PORT')
  return CHANGING.reduce((rest, [pattern, replace]) => rest.replaceAll(pattern, replace), named)
}
