import type { Client } from '../../domain/client.ts'
import { isClientId } from '../../domain/public-id.ts'
import { isSecretOf } from '../../domain/secrets/client-secret.ts'
import { createCountedLineLimit } from '../../platform/line-limit.ts'
import type { Log } from '../../platform/log.ts'
import { networkOf } from '../../tls/remote-address.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { type Credentials, TokenError } from './token-request.ts'

export interface ClientLoginOptions {
  /** A client that is not revoked, in its current state. */
  readonly findClient: (id: string) => Client | undefined
  readonly now: () => number
  readonly log: Log
}

const SIXTY_A_MINUTE = { lines: 60, perMs: 60_000 }

/** Logs `token.refused`, at most sixty times a minute: the throttle slows down one id, and a scan of ids meets it nowhere. @param client null: no id */
export function createTokenRefusedLog({ log, now }: Pick<ClientLoginOptions, 'log' | 'now'>) {
  const takeLine = createCountedLineLimit(now, SIXTY_A_MINUTE)
  return function logRefused(client: string | null, address: string): void {
    const line = takeLine()
    if (line !== null) log.warn({ client, address, ...line }, 'token.refused')
  }
}

/** @returns the client with this id and secret. @throws TokenError */
export type ClientLogin = (credentials: Credentials, address: string) => Client

/**
 * Failures slow down this id at this address. The right secret is accepted at once even then, because an attacker may share the address. It does not
 * end the wait, so an attacker gains nothing from the client's own success. Secrets are random and long: no number of guesses finds one.
 */
export function createClientLogin({ findClient, now, log }: ClientLoginOptions): ClientLogin {
  const throttle = createLoginThrottle(now)
  const logRefused = createTokenRefusedLog({ log, now })
  return function login({ id, secret }, address) {
    // Only real ids become keys: any other text may be long.
    const key = `${isClientId(id) ? id : ''} ${networkOf(address)}`
    const client = findClient(id)
    if (client !== undefined && isSecretOf(client, secret, now())) return client
    const waitS = throttle.waitOf(key)
    if (waitS > 0)
      throw new TokenError('slow_down', `too many failures: wait ${waitS} s; the right secret is accepted at once`, {
        waitS,
      })
    throttle.failed(key)
    logRefused(isClientId(id) ? id : null, address)
    throw new TokenError('invalid_client', 'there is no client with this id and secret')
  }
}
