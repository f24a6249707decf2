/** Larger bodies are no token form. */
const MAX_FORM_BYTES = 8192

const FIELD = 'notification'

/**
 * The token of a charge callback in token form: a form post, urlencoded or multipart (RFC 7578), with one value of the field `notification`,
 * among any other fields. null: the body is none. The content type does not matter: such a body is never JSON.
 */
export function tokenOfForm(body: Uint8Array): string | null {
  if (body.length > MAX_FORM_BYTES) return null
  const text = new TextDecoder().decode(body).trim()
  return single(text.startsWith('--') ? multipartValues(text) : new URLSearchParams(text).getAll(FIELD))
}

/** The token of a charge callback in JSON that names a token and no entries. null: the value is another one. */
export function tokenOfJson(value: unknown): string | null {
  const given = memberOf(value, FIELD)
  if (typeof given === 'string') return single([given])
  const [token, entries = []] = [memberOf(given, 'token'), memberOf(given, 'entries')]
  return typeof token === 'string' && Array.isArray(entries) && entries.length === 0 ? single([token]) : null
}

/**
 * Whether the service may be asked for a token. It becomes a part of a path there, and a caller may have invented it, so only the unreserved
 * characters of a URL (RFC 3986 section 2.3) and `=` are accepted, no dot in front, and at most 128 characters.
 */
export function isResolvableToken(token: string): boolean {
  return /^[A-Za-z0-9_~-][A-Za-z0-9._~=-]{0,127}$/.test(token)
}

/** Two different tokens are none: the callback is stored as it came, and neither is left out. */
function single(values: readonly string[]): string | null {
  const tokens = new Set(values.map((value) => value.trim()))
  tokens.delete('')
  return tokens.size === 1 ? ([...tokens][0] ?? null) : null
}

function multipartValues(text: string): string[] {
  const delimiter = text.split(/\s/, 1)[0] ?? ''
  return text.split(delimiter).flatMap((part) => {
    const [head = '', ...value] = part.split(/\r?\n\r?\n/)
    const name = /^content-disposition:.*;\s*name=("?)([^";\s]*)\1/im.exec(head)?.[2]
    return name === FIELD ? [value.join('\n\n')] : []
  })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
