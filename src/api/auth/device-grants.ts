import type { Socket } from 'node:net'
import type { ScopeNames } from '../../domain/scopes.ts'
import type { DeviceBegun, DeviceGranted, DeviceRefusal, DeviceSignIn } from '../../domain/sign-in/device-sign-in.ts'
import type { Log } from '../../platform/log.ts'
import { addressOf, networkOf } from '../../tls/remote-address.ts'
import { connectionAuthenticated } from './authenticated-connections.ts'
import { createTokenRefusedLog } from './client-login.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { DEVICE_GRANT, type DeviceRequest, TokenError } from './token-request.ts'

export interface DeviceGrantsOptions {
  /** null: no OpenID provider is set up. */
  readonly devices: DeviceSignIn | null
  readonly scopeNames: ScopeNames
  readonly now: () => number
  readonly log: Log
}

/** People who sign in on a device (RFC 8628). Errors are `TokenError`. */
export function createDeviceGrants({ devices, scopeNames, now, log }: DeviceGrantsOptions) {
  /** Each sign-in counts: it costs a request to the provider. */
  const begun = createLoginThrottle(now)
  const unknown = createLoginThrottle(now)
  const logRefused = createTokenRefusedLog({ log, now })

  function required(): DeviceSignIn {
    if (devices !== null) return devices
    throw new TokenError('unsupported_grant_type', NO_PROVIDER)
  }

  function throwWait(waitS: number): void {
    if (waitS > 0) throw new TokenError('slow_down', `too many sign-ins from this address: wait ${waitS} s`, { waitS })
  }

  function accepted<T extends DeviceBegun | DeviceGranted>(answer: T | DeviceRefusal, socket: Socket): T {
    if (answer.kind !== 'refused') return answer as T
    const { error, words } = answer
    if (error === 'slow_down') throw new TokenError(error, words, { status: 400 })
    if (error !== 'unknown') throw new TokenError(error, words)
    const network = networkOf(addressOf(socket))
    throwWait(unknown.waitOf(network))
    unknown.failed(network)
    logRefused(null, addressOf(socket))
    throw new TokenError('invalid_grant', words)
  }

  return {
    /** RFC 8628 section 3.2. */
    async begin(socket: Socket) {
      const asked = required()
      const network = networkOf(addressOf(socket))
      throwWait(begun.waitOf(network))
      begun.failed(network)
      const answer = accepted<DeviceBegun>(await asked.begin(), socket)
      return {
        device_code: answer.deviceCode,
        user_code: answer.userCode,
        verification_uri: answer.verificationUri,
        ...(answer.verificationUriComplete !== null && { verification_uri_complete: answer.verificationUriComplete }),
        expires_in: answer.expiresInS,
        interval: answer.intervalS,
      }
    },
    /** RFC 7009. */
    async revoke(refreshToken: string, socket: Socket): Promise<void> {
      const refusal = await required().revoke(refreshToken)
      if (refusal !== null) accepted(refusal, socket)
    },
    /** RFC 6749 section 5.1. */
    async tokenFor({ grant, given }: DeviceRequest, socket: Socket) {
      const asked = required()
      const isNew = grant === DEVICE_GRANT
      const answer = accepted<DeviceGranted>(await (isNew ? asked.redeem(given) : asked.renew(given)), socket)
      connectionAuthenticated(socket)
      const { id, scopes } = answer.principal
      if (isNew) log.info({ client: id, scopes: [...scopes], bound: false }, 'token.issued')
      return {
        access_token: answer.accessToken,
        token_type: 'Bearer' as const,
        expires_in: answer.expiresInS,
        scope: [...scopes].map(scopeNames.nameOf).join(' '),
        person: answer.name,
        ...(answer.refreshToken !== null && { refresh_token: answer.refreshToken }),
      }
    },
  }
}

const NO_PROVIDER =
  'this gateway has no sign-in for people at the API (api.oidc is not set up): use the id and secret of a client'
