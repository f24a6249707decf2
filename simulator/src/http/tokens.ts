import { randomBytes } from 'node:crypto'
import type { Interface } from '../interfaces.ts'

/** An access token (RFC 6749 section 1.4), bound to a client certificate where one is required (RFC 8705 section 3). */
export interface Token {
  readonly clientId: string
  readonly interface: Interface
  readonly scopes: readonly string[]
  /** SHA-256 of the account certificate, as Node writes it; null: not bound. */
  readonly fingerprint: string | null
  /** Real time, in ms since 1970: moving the simulated clock does not end sessions. */
  readonly expiresAt: number
}

/** The valid tokens of one environment. They live in memory: clients fetch new ones after a restart. */
export interface Tokens {
  issue(token: Token): string
  /** Undefined also for an expired token. */
  find(value: string): Token | undefined
  /** Ends one token at once. False: there was none. */
  end(value: string): boolean
  /** Ends all tokens, or those of one application, at once. */
  expire(clientId?: string): number
}

export function createTokens(realNow: () => number = Date.now): Tokens {
  const tokens = new Map<string, Token>()
  function sweep(): void {
    for (const [value, { expiresAt }] of tokens) if (expiresAt <= realNow()) tokens.delete(value)
  }
  return {
    issue(token) {
      sweep()
      const value = randomBytes(32).toString('base64url')
      tokens.set(value, token)
      return value
    },
    find(value) {
      const token = tokens.get(value)
      return token !== undefined && token.expiresAt > realNow() ? token : undefined
    },
    end: (value) => tokens.delete(value),
    expire(clientId) {
      const ended = [...tokens].filter(([, token]) => clientId === undefined || token.clientId === clientId)
      for (const [value] of ended) tokens.delete(value)
      return ended.length
    },
  }
}
