/** Larger bodies are no token form. */
const MAX_FORM_BYTES = 2048

/**
 * The token of a charge callback in token form: a form post with the single field `notification`. null: the body is none.
 * The content type does not matter: such a body is never JSON.
 */
export function tokenOfForm(body: Uint8Array): string | null {
  if (body.length > MAX_FORM_BYTES) return null
  const form = /^\s*(notification=[^&\s]+)\s*$/.exec(Buffer.from(body).toString('latin1'))?.[1]
  return form === undefined ? null : new URLSearchParams(Buffer.from(form, 'latin1').toString()).get('notification')
}

/**
 * Whether the service may be asked for a token. It becomes a part of a path there, and a caller may have invented it, so only the unreserved
 * characters of a URL (RFC 3986 section 2.3) and `=` are accepted, no dot in front, and at most 128 characters.
 */
export function isResolvableToken(token: string): boolean {
  return /^[A-Za-z0-9_~-][A-Za-z0-9._~=-]{0,127}$/.test(token)
}
