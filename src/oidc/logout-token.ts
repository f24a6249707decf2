import { type JWTVerifyGetKey, jwtVerify } from 'jose'
import { CLOCK_TOLERANCE_S } from './settings.ts'

/** Whose sessions end: those of the session at the provider where it is named, otherwise all of the subject. */
export interface LogoutClaims {
  readonly subject: string | null
  readonly sid: string | null
  readonly id: string
  /** In ms: afterwards the token is not valid. */
  readonly until: number
}

interface Expected {
  readonly issuer: string
  readonly audience: string
  readonly algorithms: string[]
  readonly now: number
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Bounds how long ids of tokens are remembered. */
const LONGEST_AGE_S = 600

/** OpenID Connect Back-Channel Logout 1.0, section 2.6. @throws Error for a token that is not valid */
export async function logoutIn(token: string, keys: JWTVerifyGetKey, expected: Expected): Promise<LogoutClaims> {
  const { issuer, audience, algorithms, now } = expected
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience,
    algorithms,
    currentDate: new Date(now),
    clockTolerance: CLOCK_TOLERANCE_S,
    maxTokenAge: LONGEST_AGE_S,
    requiredClaims: ['exp', 'jti'],
  })
  const { sub, sid, events, nonce, jti, exp } = payload
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
  if (type !== undefined && type !== 'logout+jwt' && type !== 'jwt') throw new Error(`a token of type ${type}`)
  if (typeof events !== 'object' || events === null || !isObject((events as Record<string, unknown>)[EVENT]))
    throw new Error('its claim events does not name a logout')
  if (nonce !== undefined) throw new Error('it has a nonce, which only ID tokens have')
  if (textOf(sub) === null && textOf(sid) === null) throw new Error('it names neither a subject nor a session')
  return {
    subject: textOf(sub),
    sid: textOf(sid),
    id: String(jti),
    until: Math.min(Number(exp) * 1000, now + LONGEST_AGE_S * 1000) + CLOCK_TOLERANCE_S * 1000,
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** null: also an empty one. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
