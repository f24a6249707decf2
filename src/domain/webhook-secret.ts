import { randomBytes } from 'node:crypto'
import { PortariaError } from '../platform/errors.ts'

const PREFIX = 'whsec_'

/** What a secret looks like, for texts. */
export const SECRET_FORM = '"whsec_" followed by the base64 of 24 to 64 bytes'

/** A Standard Webhooks secret; without an argument of 32 random bytes. */
export function newSecret(random: Uint8Array = randomBytes(32)): string {
  return PREFIX + Buffer.from(random).toString('base64')
}

export function isSecret(text: string): boolean {
  return keyOf(text) !== null
}

/**
 * The key of a Standard Webhooks secret: `whsec_` and 24 to 64 bytes in base64.
 * @throws PortariaError `configuration_invalid`, without the secret
 */
export function parseSecret(text: string): Buffer {
  const key = keyOf(text)
  if (key !== null) return key
  throw new PortariaError(
    'configuration_invalid',
    `the secret must be ${SECRET_FORM}: make one with \`openssl rand -base64 32\` and put whsec_ before it`,
  )
}

function keyOf(text: string): Buffer | null {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  const key = Buffer.from(encoded, 'base64')
  // Buffer skips what is not base64: only what it writes the same way was read whole.
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded ? key : null
}
