import { X509Certificate } from 'node:crypto'

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/** Longest text of a destination's authorities, in characters. */
export const AUTHORITIES_LIMIT = 65_536

/** What is wrong with the PEM of a destination's private authorities, in words; null: nothing. An empty list would mean every public root. */
export function problemOfAuthorities(pem: string): string | null {
  if (pem.length > AUTHORITIES_LIMIT) return `must be at most ${AUTHORITIES_LIMIT} characters of PEM`
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0 || blocks.length !== (pem.match(/-----BEGIN /g) ?? []).length)
    return 'must hold CA certificates in PEM form, each of them whole'
  for (const [index, block] of blocks.entries()) {
    const certificate = parse(block)
    if (certificate === null) return `certificate ${index + 1} is damaged: export it again`
    if (!certificate.ca)
      return `certificate ${index + 1} is not a CA certificate: name the authority that issued the destination's certificate`
  }
  return null
}

function parse(block: string): X509Certificate | null {
  try {
    return new X509Certificate(block)
  } catch {
    // Told in words by the caller.
    return null
  }
}
