import { messageOf, PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readProfile, type Session, withProfile, writeProfile } from './profiles.ts'
import { type Answer, notAGateway, openTransport, settled, type Transport } from './transport.ts'

/** An answer of the token endpoint to a person's device. */
export interface Granted {
  readonly access_token: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly person?: string
}

/** A request that is under way when its token expires would be refused. */
const EARLY_MS = 5_000
/** A renewal is not cut off with the command that needs it: its refresh token works once. */
const RENEWAL_MS = 30_000

/** @throws PortariaError of a problem, and for an answer without tokens: it must not take the place of a session */
export function grantedIn(api: string, { status, bytes }: Answer): Granted {
  const granted = settled<Partial<Granted> | undefined>(api, status, bytes)
  const { access_token: token, expires_in: seconds, scope, refresh_token: refresh = '', person = '' } = granted ?? {}
  const isGranted = [token, scope, refresh, person].every((one) => typeof one === 'string') && Number.isFinite(seconds)
  if (isGranted) return granted as Granted
  throw notAGateway(api, status)
}

/** @param askedAt before the request */
export function sessionOf(
  { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken, person }: Granted,
  askedAt: number,
): Session {
  const validUntil = askedAt + seconds * 1000
  return { person: person ?? '', accessToken, validUntil, refreshToken: refreshToken ?? null }
}

/** @returns null: it has ended at the provider; otherwise why not */
export async function endSession(name: string): Promise<string | null> {
  const profile = readProfile(name)
  if (!('session' in profile.credentials) || profile.credentials.session.refreshToken === null) return null
  const { refreshToken } = profile.credentials.session
  const transport = await openTransport(profile, `profile ${name}: `)
  try {
    const body = new URLSearchParams({ token: refreshToken, token_type_hint: 'refresh_token' }).toString()
    const { status, bytes } = await transport.exchange(
      '/oauth/revoke',
      { method: 'POST', body, timeoutMs: RENEWAL_MS },
      null,
    )
    settled(profile.api, status, bytes)
    return null
  } catch (error) {
    return messageOf(error)
  } finally {
    await transport.close()
  }
}

/** The session of a profile, which is renewed where its access token is too old, and saved. */
export function createSession(
  first: Session,
  {
    api,
    name,
    exchange,
  }: { readonly api: string; readonly name: string | null; readonly exchange: Transport['exchange'] },
) {
  /** As this process knows it: others renew it, too. */
  let session = first
  let renewing: Promise<string> | null = null

  /** @param refused null: none was refused */
  function isUsable({ accessToken, validUntil }: Session, refused: string | null): boolean {
    return accessToken !== refused && Date.now() < validUntil - EARLY_MS
  }

  async function renew(refused: string | null): Promise<string> {
    if (name === null) throw new TypeError('unreachable: only profiles have sessions')
    return withProfile(name, async () => {
      const saved = readProfile(name)
      if (!('session' in saved.credentials) || saved.api !== api)
        throw over(`the profile ${name} was changed; sign in again with: ${again}`)
      session = saved.credentials.session
      if (isUsable(session, refused)) return session.accessToken
      const { refreshToken } = session
      if (refreshToken === null)
        throw over(
          `the sign-in of ${session.person} is over, and its provider renews none; sign in again with: ${again}`,
        )
      const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken })
      const askedAt = Date.now()
      const sent = { method: 'POST', body: form.toString(), timeoutMs: RENEWAL_MS }
      session = sessionOf(grantedIn(api, await exchange('/oauth/token', sent, null)), askedAt)
      writeProfile(name, { ...saved, credentials: { session } })
      return session.accessToken
    })
  }

  const again = `${COMMAND} login ${api} --profile ${name} --device`
  const over = (message: string) => new PortariaError('unauthorized', message)

  /** One at a time. */
  function renewed(refused: string | null): Promise<string> {
    renewing ??= renew(refused).finally(() => {
      renewing = null
    })
    return renewing
  }

  return {
    current: async () => (isUsable(session, null) ? session.accessToken : renewed(null)),
    after: async (refused: string) => (isUsable(session, refused) ? session.accessToken : renewed(refused)),
  }
}
