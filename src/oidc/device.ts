import type { DeviceAuthorizationResponse } from 'openid-client'
import { z } from 'zod'
import { personId } from '../domain/public-id.ts'
import type { DeviceBegun, DeviceRefusal, DeviceSignIn } from '../domain/sign-in/device-sign-in.ts'
import { PortariaError } from '../platform/errors.ts'
import { createTurns } from '../platform/turns.ts'
import { UNREACHABLE_MS } from './asking.ts'
import { createDeviceTokens, sealingOf } from './device-tokens.ts'
import { isUnreachable, ProviderRefused } from './failure.ts'
import { nameIn } from './known.ts'
import type { Granted, Provider } from './provider.ts'
import { reasonFor, type SignInRefused } from './refused.ts'
import type { OidcSettings } from './settings.ts'

interface DeviceParts {
  readonly provider: Pick<Provider, 'ask' | 'grant' | 'refresh'>
  readonly onUnreachable: (error: unknown, client?: string) => void
  readonly onRefused: (refused: SignInRefused) => void
  readonly now: () => number
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** How long an answer of the provider is kept for a caller that did not get it. */
const LOST_MS = 30_000
/** Timers of the caller may be early. */
const EARLY_MS = 500
/** RFC 8628, section 3.2. */
const INTERVAL_S = 5
/** Of one key fewer than all: requests to begin, which any caller may send, do not delay renewals, and one person does not delay others. */
const QUESTIONS = { places: 8, placesOfKey: 4, waitingOfKey: 100 }
const BEGIN = 'begin'
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
  const inTurn = createQuestions()
  const latest = createLatest(now)
  const isTooEarly = createPace(now)
  const endings = createEndings(now)

  async function tokensOrRefusal({ granted, at }: Answered, name: string) {
    const one = tokens.personIn(granted.claims, name)
    const given = await tokens.tokensFor(one, granted.refreshToken, at)
    if (given !== null) return given
    onRefused({ reason: 'role', client: personId(issuer, one.subject), claims: granted.claims })
    return refused('access_denied', `${name} has no role here: the operator gives one (api.oidc.roles)`)
  }

  /** @returns null: the provider has answered @throws errors of this gateway */
  function unreachable(error: unknown, client?: string): DeviceRefusal | null {
    if (error instanceof PortariaError) throw error
    if (!isUnreachable(error)) return null
    onUnreachable(error, client)
    return refused('temporarily_unavailable', 'the OpenID provider cannot be reached now: try again later')
  }

  /** @param refusal what it means where the provider refuses */
  async function unlessRefused<T>(
    refusal: DeviceRefusal,
    key: string,
    ask: () => Promise<T>,
  ): Promise<T | DeviceRefusal> {
    try {
      return await inTurn(key, ask)
    } catch (error) {
      const away = unreachable(error)
      if (away !== null) return away
      onRefused({ reason: reasonFor(error), error })
      return isOfGateway(error) ? { ...refusal, words: GATEWAY_REFUSED } : refusal
    }
  }

  return {
    begin: () =>
      unlessRefused(NOT_PERMITTED, BEGIN, async () => {
        const { initiateDeviceAuthorization } = await import('openid-client')
        const answer = await provider.ask(null, async (configuration) => {
          if (configuration.serverMetadata().device_authorization_endpoint === undefined) return null
          return initiateDeviceAuthorization(configuration, { scope: scopes.join(' ') })
        })
        if (answer === null) return NO_DEVICES
        const { device_code: code, expires_in: expiresInS, interval = INTERVAL_S } = answer
        return begunOf(answer, await codes.seal({ code, interval, until: now() + expiresInS * 1000 }))
      }),
    async redeem(deviceCode) {
      const content = await codes.open(deviceCode)
      if (content === null) return UNKNOWN
      const { code, interval, until } = content
      if (now() >= until) return refused('expired_token', EXPIRED)
      if (isTooEarly(code, interval)) return refused('slow_down', TOO_EARLY)
      const { genericGrantRequest } = await import('openid-client')
      const ask = () =>
        provider.grant(code, (configuration) => genericGrantRequest(configuration, GRANT, { device_code: code }))
      try {
        const answered = await latest(code, () => inTurn(`code ${code}`, ask))
        return await tokensOrRefusal(answered, nameIn(answered.granted.claims))
      } catch (error) {
        const away = unreachable(error)
        if (away !== null) return away
        const refusal = isOfGateway(error) ? refused('invalid_grant', GATEWAY_REFUSED) : refusalOf(codeOf(error))
        if (isFinal(refusal)) onRefused({ reason: reasonFor(error), error })
        return refusal
      }
    },
    async renew(refreshToken) {
      const content = await tokens.openGrant(refreshToken)
      if (content === null) return UNKNOWN
      const { subject, name, roles, confirmedAt } = content
      try {
        const ask = () =>
          inTurn(keyOf(subject), () => provider.refresh(content.refreshToken, { [claim]: roles, sub: subject }))
        return await tokensOrRefusal(await latest(content.refreshToken, ask), name)
      } catch (error) {
        const client = personId(issuer, subject)
        const away = unreachable(error, client)
        if (away === null) {
          endings.note(subject)
          onRefused({ reason: reasonFor(error), client, error })
          const again = `the provider refuses to go on with the sign-in of ${name}: sign in again`
          return refused('invalid_grant', isOfGateway(error) ? GATEWAY_REFUSED : again)
        }
        const isRecent = Math.abs(now() - confirmedAt) < UNREACHABLE_MS && !endings.isSince(subject, confirmedAt)
        const given = isRecent ? await tokens.tokensFor(content, content.refreshToken, now()) : null
        // As it was: the time of the last answer is in it.
        return given === null ? away : { ...given, refreshToken }
      }
    },
    async revoke(refreshToken) {
      const content = await tokens.openGrant(refreshToken)
      if (content === null) return refused('unsupported_token_type', 'this is no refresh token of this gateway')
      return unlessRefused(NOT_ENDED, keyOf(content.subject), async () => {
        const { tokenRevocation } = await import('openid-client')
        const isOffered = await provider.ask(content.refreshToken, async (configuration) => {
          if (configuration.serverMetadata().revocation_endpoint === undefined) return false
          await tokenRevocation(configuration, content.refreshToken, { token_type_hint: 'refresh_token' })
          return true
        })
        if (!isOffered) return NO_REVOCATION
        endings.note(content.subject)
        return null
      })
    },
    principalOf: tokens.principalOf,
    isOver: tokens.isOver,
  }
}

function begunOf(answer: DeviceAuthorizationResponse, deviceCode: string): DeviceBegun {
  return {
    kind: 'begun',
    deviceCode,
    userCode: answer.user_code,
    verificationUri: answer.verification_uri,
    verificationUriComplete: answer.verification_uri_complete ?? null,
    expiresInS: answer.expires_in,
    intervalS: answer.interval ?? INTERVAL_S,
  }
}

const TOO_EARLY = 'asked again too early: wait longer between two requests'
const EXPIRED = 'the code was not used in time: begin again'
const UNKNOWN = refused('unknown', 'this gateway did not issue it, or its api.oidc was changed since: sign in again')

const NO_DEVICES = refused(
  'unsupported_grant_type',
  'the OpenID provider has no device sign-in: use the id and secret of a client',
)
const NOT_PERMITTED = refused(
  'unsupported_grant_type',
  'the OpenID provider refuses to begin a device sign-in: permit its client there the device authorization grant, or use the id and secret of a client',
)
const GATEWAY_REFUSED =
  'the OpenID provider refuses this gateway, and so each person: tell the operator, whose log has the reason (oidc.sign_in_refused)'
const NO_REVOCATION = refused('unsupported_token_type', 'the OpenID provider ends no sign-in on request')
const NOT_ENDED = refused('unsupported_token_type', 'the OpenID provider refuses to end the sign-in')

function refused(error: DeviceRefusal['error'], words: string): DeviceRefusal {
  return { kind: 'refused', error, words }
}

/** Of a question whether the person has signed in. @param code null: the answer is not valid */
function refusalOf(code: string | null): DeviceRefusal {
  if (code === 'authorization_pending') return refused(code, 'the person has not signed in yet: ask again later')
  if (code === 'slow_down') return refused(code, TOO_EARLY)
  if (code === 'expired_token') return refused(code, EXPIRED)
  return code === 'access_denied'
    ? refused(code, 'the sign-in was refused at the provider')
    : refused('invalid_grant', 'the provider does not accept this sign-in: begin again')
}

function isFinal({ error }: DeviceRefusal): boolean {
  return error === 'access_denied' || error === 'invalid_grant'
}

/** Of an OAuth error; null: it is another one. */
function codeOf(error: unknown): string | null {
  return error instanceof ProviderRefused ? error.code : null
}

function isOfGateway(error: unknown): boolean {
  return error instanceof ProviderRefused && error.isOfGateway
}

function keyOf(subject: string): string {
  return `person ${subject}`
}

/** Questions to the provider, some at a time, and fewer for one key. */
function createQuestions() {
  const turns = createTurns(QUESTIONS)
  return async function inTurn<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const leave = await turns.take(key)
    try {
      return await ask()
    } finally {
      leave()
    }
  }
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

/** When the provider refused or ended a sign-in of a person last: without it, no earlier one of this person goes on. */
function createEndings(now: () => number) {
  const endings = new Map<string, number>()
  return {
    note(subject: string): void {
      for (const [one, at] of endings) if (Math.abs(now() - at) >= UNREACHABLE_MS) endings.delete(one)
      endings.set(subject, now())
    },
    isSince: (subject: string, time: number) => (endings.get(subject) ?? Number.NEGATIVE_INFINITY) >= time,
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
