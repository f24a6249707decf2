import { errors } from 'jose'
import { withoutControlCharacters } from '../platform/control-characters.ts'
import { messageOf } from '../platform/errors.ts'
import { createSecretCleaner } from '../platform/secret-cleaner.ts'
import { ProviderUnreachable } from './provider-fetch.ts'

/** The provider refused, or its answer is not valid. `reasonOf` says why. */
export class ProviderRefused extends Error {
  /** The error code of OAuth; null: the answer has none. */
  readonly code: string | null
  /** Whether the provider refuses this gateway, and so each person: its client id or secret is wrong or has expired. */
  readonly isOfGateway: boolean
  readonly #secrets: readonly string[]

  /** @param secrets of the request: an answer may repeat them */
  constructor(error: unknown, secrets: readonly string[]) {
    super('the OpenID provider refused', { cause: error })
    const code = oauthErrorOf(error)?.code
    this.code = code ?? null
    // Some providers answer a wrong secret so; with another status it means that this client may not use the grant.
    this.isOfGateway =
      code === 'invalid_client' || (code === 'unauthorized_client' && Object(error).status === UNAUTHORIZED)
    this.#secrets = secrets
  }

  /** The words of the provider without secrets. Cleaning takes long where a secret is long: not for a line that is left out. */
  words(): string {
    const { cause } = this
    const said = oauthErrorOf(cause)
    const clean = createSecretCleaner(this.#secrets)
    const parts = [said?.code, said?.description, ...messagesOf(cause), comparisonIn(cause)]
    const words = parts.flatMap((one) => (typeof one === 'string' && one !== '' ? [lineOf(clean(one))] : []))
    return [...new Set(words)].join(': ')
  }
}

const UNAUTHORIZED = 401
const LONGEST_WORDS = 300

/** Whether the provider gave no answer, as opposed to a refusal. Libraries wrap the error. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ProviderUnreachable || error instanceof errors.JWKSTimeout) return true
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause)
}

/** What happened, for the log, without secrets. */
export function reasonOf(error: unknown): string {
  return error instanceof ProviderRefused ? error.words() : messagesOf(error).join(': ')
}

/** Of an answer (RFC 6749, section 5.2), or of a challenge (RFC 6750, section 3). */
function oauthErrorOf(error: unknown): { readonly code: string; readonly description: unknown } | null {
  const { cause } = Object(error)
  const said = Array.isArray(cause) ? Object(Object(cause[0]).parameters) : Object(error)
  return typeof said.error === 'string' ? { code: said.error, description: said.error_description } : null
}

/**
 * From the outermost error to its cause. Where the provider said why, a library says only that it did. Without an answer the library says only that
 * something went wrong, and our own error has the words of its cause.
 */
function messagesOf(error: unknown): string[] {
  const messages: string[] = []
  for (let one = error; one instanceof Error && messages.length < 5; one = one.cause) {
    if (one instanceof ProviderUnreachable) return [messageOf(one)]
    if (oauthErrorOf(one) === null) messages.push(messageOf(one))
  }
  return [...new Set(messages)]
}

/** Both values, where a library found that two differ. Others that it compares are secrets or times. */
function comparisonIn(error: unknown): string | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { attribute, body, claim, claims, expected } = Object(one.cause)
    if (attribute === 'issuer') return `expected ${expected}, and the provider names ${Object(body).issuer}`
    // Of several audiences without an azp, none is expected.
    const wanted = expected === undefined ? '' : `expected ${expected}, and `
    if (['iss', 'aud', 'azp'].includes(claim)) return `${wanted}${claim} is ${Object(claims)[claim]}`
  }
  return null
}

function lineOf(text: string): string {
  const line = withoutControlCharacters(text.replaceAll(/\s+/g, ' ').trim()).toWellFormed()
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line
}
