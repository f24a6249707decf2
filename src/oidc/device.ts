import { z } from 'zod'
import { personId } from '../domain/public-id.ts'
import type { DeviceRefusal, DeviceSignIn } from '../domain/sign-in/device-sign-in.ts'
import { PortariaError } from '../platform/errors.ts'
import { createTurns } from '../platform/turns.ts'
import { UNREACHABLE_MS } from './asking.ts'
import { createDeviceTokens, sealingOf } from './device-tokens.ts'
import { isUnreachable, reasonOf } from './failure.ts'
import { nameIn } from './known.ts'
import type { Granted, Provider } from './provider.ts'
import type { OidcSettings } from './settings.ts'

interface DeviceParts {
  readonly provider: Pick<Provider, 'configuration' | 'grant' | 'refresh'>
  readonly onUnreachable: (error: unknown, client?: string) => void
  readonly onRefused: (
    reason: 'provider' | 'answer' | 'role',
    about: { readonly client?: string; readonly error?: string },
  ) => void
  readonly now: () => number
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** How long an answer of the provider is kept for a caller that did not get it. */
const LOST_MS = 30_000
/** Timers of the caller may be early. */
const EARLY_MS = 500
/** RFC 8628, section 3.2. */
const INTERVAL_S = 5
const QUESTIONS = { places: 8, placesOfKey: 8, waitingOfKey: 100 }
const MOST_POLLS = 10_000

const codeSchema = z.strictObject({ code: z.string(), interval: z.number(), until: z.number() })

/**
 * The gateway stays the client of the provider, and passes its answers on (RFC 8628). It keeps nothing: codes and tokens are sealed with a key that all
 * nodes derive from the client secret, so every node takes them, and none does after a change of provider, client or secret.
 */
export function createDeviceSignIn(
  settings: OidcSettings,
  { provider, onUnreachable, onRefused, now }: DeviceParts,
): DeviceSignIn {
  const { issuer, claim, scopes } = settings
  const codes = sealingOf(settings, 'device code', codeSchema)
  const tokens = createDeviceTokens(settings, now)
  const questions = createTurns(QUESTIONS)
  const latest = createLatest(now)
  const isTooEarly = createPace(now)

  async function inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const leave = await questions.take('')
    try {
      return await ask()
    } finally {
      leave()
    }
  }

  async function tokensOrRefusal({ granted, at }: Answered, name: string) {
    const one = tokens.personIn(granted.claims, name)
    const given = await tokens.tokensFor(one, granted.refreshToken, at)
    if (given !== null) return given
    onRefused('role', { client: personId(issuer, one.subject) })
    return refused('access_denied', `${name} has no role here: who runs the gateway gives one (api.oidc.roles)`)
  }

  /** @returns null: the provider has answered @throws errors of this gateway */
  function unreachable(error: unknown, client?: string): DeviceRefusal | null {
    if (error instanceof PortariaError) throw error
    if (!isUnreachable(error)) return null
    onUnreachable(error, client)
    return refused('temporarily_unavailable', 'the OpenID provider cannot be reached now: try again later')
  }

  function notGranted(error: unknown): DeviceRefusal {
    const code = codeOf(error)
    if (code === 'authorization_pending') return refused(code, 'the person has not signed in yet: ask again later')
    if (code === 'slow_down') return refused(code, TOO_EARLY)
    if (code === 'expired_token') return refused(code, EXPIRED)
    onRefused(code === null ? 'answer' : 'provider', { error: reasonOf(error) })
    return code === 'access_denied'
      ? refused(code, 'the sign-in was refused at the provider')
      : refused('invalid_grant', 'the provider does not accept this sign-in: begin again')
  }

  return {
    async begin() {
      try {
        return await inTurn(async () => {
          const configuration = await provider.configuration()
          if (configuration.serverMetadata().device_authorization_endpoint === undefined)
            return refused('unsupported_grant_type', `the OpenID provider has no device sign-in: ${USE_A_CLIENT}`)
          const { initiateDeviceAuthorization } = await import('openid-client')
          const answer = await initiateDeviceAuthorization(configuration, { scope: scopes.join(' ') })
          const { device_code: code, expires_in: expiresInS, interval = INTERVAL_S } = answer
          return {
            kind: 'begun' as const,
            deviceCode: await codes.seal({ code, interval, until: now() + expiresInS * 1000 }),
            userCode: answer.user_code,
            verificationUri: answer.verification_uri,
            verificationUriComplete: answer.verification_uri_complete ?? null,
            expiresInS,
            intervalS: interval,
          }
        })
      } catch (error) {
        const away = unreachable(error)
        if (away !== null) return away
        onRefused('provider', { error: reasonOf(error) })
        return refused('unsupported_grant_type', `${NOT_PERMITTED}, or ${USE_A_CLIENT}`)
      }
    },
    async redeem(deviceCode) {
      const content = await codes.open(deviceCode)
      if (content === null) return UNKNOWN
      const { code, interval, until } = content
      if (now() >= until) return refused('expired_token', EXPIRED)
      if (isTooEarly(code, interval)) return refused('slow_down', TOO_EARLY)
      const { genericGrantRequest } = await import('openid-client')
      const ask = () =>
        provider.grant((configuration) => genericGrantRequest(configuration, GRANT, { device_code: code }))
      try {
        const answered = await latest(code, () => inTurn(ask))
        return await tokensOrRefusal(answered, nameIn(answered.granted.claims))
      } catch (error) {
        return unreachable(error) ?? notGranted(error)
      }
    },
    async renew(refreshToken) {
      const content = await tokens.openGrant(refreshToken)
      if (content === null) return UNKNOWN
      const { subject, name, roles, confirmedAt } = content
      const before = { sub: subject, name, [claim]: roles }
      try {
        const ask = () => inTurn(() => provider.refresh(content.refreshToken, before))
        return await tokensOrRefusal(await latest(content.refreshToken, ask), name)
      } catch (error) {
        const client = personId(issuer, subject)
        const away = unreachable(error, client)
        if (away === null) {
          onRefused('provider', { client, error: reasonOf(error) })
          return refused('invalid_grant', `the provider refuses to go on with the sign-in of ${name}: sign in again`)
        }
        const isRecent = Math.abs(now() - confirmedAt) < UNREACHABLE_MS
        const given = isRecent ? await tokens.tokensFor(content, content.refreshToken, now()) : null
        // As it was: the time of the last answer is in it.
        return given === null ? away : { ...given, refreshToken }
      }
    },
    principalOf: tokens.principalOf,
    isOver: tokens.isOver,
  }
}

const USE_A_CLIENT = 'use the id and secret of a client'
const NOT_PERMITTED =
  'the OpenID provider refuses to begin a device sign-in: permit its client there the device authorization grant'
const TOO_EARLY = 'asked again too early: wait longer between two requests'
const EXPIRED = 'the code was not used in time: begin again'
const UNKNOWN = refused('unknown', 'this gateway did not issue it, or its api.oidc was changed since: sign in again')

function refused(error: DeviceRefusal['error'], words: string): DeviceRefusal {
  return { kind: 'refused', error, words }
}

/** Of an OAuth error; null: it is another one. */
function codeOf(error: unknown): string | null {
  const { error: code } = Object(error)
  return typeof code === 'string' ? code : null
}

/** Whether a code is asked about again too early. */
function createPace(now: () => number) {
  const polls = new Map<string, number>()
  return function isTooEarly(code: string, intervalS: number): boolean {
    const before = polls.get(code)
    if (before !== undefined && Math.abs(now() - before) < intervalS * 1000 - EARLY_MS) return true
    // Deleted first, so that the map stays in the order of the latest polls.
    polls.delete(code)
    polls.set(code, now())
    if (polls.size > MOST_POLLS) polls.delete(polls.keys().next().value ?? code)
    return false
  }
}

interface Answered {
  readonly granted: Granted
  readonly at: number
}

/**
 * Codes and refresh tokens of the provider work once, and a second use may end its whole grant. Here a second use gets the same answer for a while: the
 * first one may not have arrived, or two processes share the token.
 */
function createLatest(now: () => number) {
  const answers = new Map<string, { readonly answer: Promise<Answered>; readonly askedAt: number }>()

  async function answerOf(token: string, ask: () => Promise<Granted>): Promise<Answered> {
    try {
      return { granted: await ask(), at: now() }
    } catch (error) {
      answers.delete(token)
      throw error
    }
  }

  return function askOnce(token: string, ask: () => Promise<Granted>): Promise<Answered> {
    for (const [key, { askedAt }] of answers) if (Math.abs(now() - askedAt) >= LOST_MS) answers.delete(key)
    const known = answers.get(token)
    if (known !== undefined) return known.answer
    const answer = answerOf(token, ask)
    answers.set(token, { answer, askedAt: now() })
    return answer
  }
}
