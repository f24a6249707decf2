import { randomBytes } from 'node:crypto'
import { PortariaError } from '../../platform/errors.ts'

const PREFIX = 'whsec_'

/** The form of a secret, for texts. */
export const SECRET_FORM = '"whsec_" followed by the base64 of 24 to 64 bytes'

/** A Standard Webhooks secret; by default of 32 random bytes. */
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
  // Buffer skips invalid characters, so only a text that it encodes to the same form is valid base64.
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded ? key : null
}
