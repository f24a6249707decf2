/**
 * Access tokens are JWTs (HS256, a key in the store), because only the gateway reads them. Each carries its client's
 * generation, which is compared at every request, so a revocation takes effect before its command returns. A token
 * requested over mutual TLS is bound to that certificate (RFC 8705).
 */

import { randomBytes } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Client, ClientPrincipal } from '../../domain/client.ts'
import type { Scope, ScopeNames } from '../../domain/scopes.ts'

export const TOKEN_LIFETIME_S = 3600
/** Of tokens from the token endpoint of the charges interface (service-decisions.md, OAuth). */
export const CHARGES_TOKEN_LIFETIME_S = 600

/** A MAC is enough: only the gateway that issues these tokens reads them. */
const ALGORITHM = 'HS256'
/** RFC 9068: no other JWT can be mistaken for an access token. */
const TYPE = 'at+jwt'
const ISSUER = 'portaria'

/** Issues and verifies the access tokens of clients. */
export interface AccessTokens {
  readonly lifetimeS: number
  /**
   * @param certificate thumbprint of the peer certificate to which the token is bound; null: unbound
   * @param seconds its lifetime; left out: `lifetimeS`
   */
  issue(client: Client, scopes: readonly Scope[], certificate: string | null, seconds?: number): Promise<string>
  /** @param certificate thumbprint of the peer certificate of the connection; null: none */
  verify(token: string, certificate: string | null): Promise<ClientPrincipal | RejectedToken>
  /** null: the client of a verified token has not been revoked since, nor its secret changed. Costs a look-up. */
  revocationOf(principal: ClientPrincipal): RejectedToken | null
}

/**
 * `unknown`: not issued by this gateway. `expired`: issued here, and past its lifetime. `void`: issued here, but revoked since, or bound to another
 * peer certificate.
 */
export interface RejectedToken {
  readonly kind: 'unknown' | 'expired' | 'void'
  readonly reason: string
}

export interface AccessTokensOptions {
  /** From `newTokenKey`. */
  readonly key: string
  /** A client that is not revoked, in its current state. */
  readonly findClient: (id: string) => Client | undefined
  readonly names: ScopeNames
  readonly now: () => number
  /** Default: one hour. */
  readonly lifetimeS?: number
}

/** 256 bits, base64url. */
export function newTokenKey(random: Uint8Array = randomBytes(32)): string {
  return Buffer.from(random).toString('base64url')
}

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { key, findClient, names, now, lifetimeS = TOKEN_LIFETIME_S } = options
  const secret = Buffer.from(key, 'base64url')

  async function read(token: string): Promise<{ readonly payload: JWTPayload } | RejectedToken> {
    const { errors, jwtVerify } = await loadJose()
    try {
      const rules = {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: ISSUER,
        currentDate: new Date(now()),
      }
      return await jwtVerify(token, secret, { ...rules, requiredClaims: ['sub', 'exp', 'generation'] })
    } catch (error) {
      // The signature is valid: jose verifies it before any claim.
      if (error instanceof errors.JWTExpired) return EXPIRED
      if (error instanceof errors.JOSEError) return UNKNOWN
      throw error
    }
  }

  return {
    lifetimeS,
    async issue(client, scopes, certificate, seconds = lifetimeS) {
      const issuedAt = Math.floor(now() / 1000)
      const { SignJWT } = await loadJose()
      return new SignJWT({
        client_id: client.id,
        scope: scopes.map(names.nameOf).join(' '),
        generation: client.generation,
        ...(certificate !== null && { cnf: { 'x5t#S256': certificate } }),
      })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(ISSUER)
        .setSubject(client.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + seconds)
        .sign(secret)
    },
    async verify(token, certificate) {
      const found = await read(token)
      if ('kind' in found) return found
      const { payload } = found
      const client = findClient(payload.sub ?? '')
      if (client === undefined || client.generation !== payload.generation) return REVOKED
      const { id, environment, generation } = client
      const bound = thumbprintIn(payload)
      if (bound !== null && bound !== certificate) return BOUND_TO_ANOTHER
      const scopes = scopesIn(payload, names).filter((scope) => client.scopes.includes(scope))
      return { kind: 'client', id, environment, generation, scopes: new Set(scopes), isBound: bound !== null }
    },
    revocationOf: ({ id, generation }) => (findClient(id)?.generation === generation ? null : REVOKED),
  }
}

/** By the first token: the operator has none. */
const loadJose = () => import('jose')

export const EXPIRED: RejectedToken = {
  kind: 'expired',
  reason: 'the access token has expired: get another from POST /oauth/token',
}
const UNKNOWN: RejectedToken = { kind: 'unknown', reason: 'the token was not issued by this gateway' }
const REVOKED: RejectedToken = {
  kind: 'void',
  reason: 'the client was revoked, or its secret was changed: its earlier tokens are invalid',
}
const BOUND_TO_ANOTHER: RejectedToken = {
  kind: 'void',
  reason: 'the token is bound to another client certificate: use the certificate of the token request',
}

/** RFC 8705 section 3.1; null: the token is bound to none. */
function thumbprintIn({ cnf }: JWTPayload): string | null {
  if (cnf === undefined) return null
  const thumbprint = typeof cnf === 'object' && cnf !== null && 'x5t#S256' in cnf ? cnf['x5t#S256'] : ''
  return String(thumbprint)
}

function scopesIn({ scope }: JWTPayload, names: ScopeNames): Scope[] {
  const written = typeof scope === 'string' ? scope.split(' ') : []
  return written.map(names.scopeOf).filter((known) => known !== null)
}
