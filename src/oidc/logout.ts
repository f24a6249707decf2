import type { PageSessionStore } from '../domain/nodes/page-session.ts'
import { personId } from '../domain/public-id.ts'
import type { Log } from '../platform/log.ts'
import { isUnreachable, reasonOf } from './failure.ts'
import { hashOf } from './grants.ts'
import type { LogoutClaims } from './logout-token.ts'
import { createOnce } from './once.ts'
import type { People } from './people.ts'
import type { Provider } from './provider.ts'

interface LogoutParts {
  readonly provider: Pick<Provider, 'readLogout'>
  readonly people: Pick<People, 'end'>
  readonly shared: PageSessionStore | null
  /** null: too many lines. */
  readonly takeLine: () => object | null
  readonly now: () => number
  readonly log: Log
}

/** Ends the sessions that a logout token names: on every node where the sessions are shared. */
export function createLogout(issuer: string, { provider, people, shared, takeLine, now, log }: LogoutParts) {
  const used = createOnce(now)

  function refuse(error: string): 'invalid' {
    const line = takeLine()
    if (line !== null) log.warn({ error, ...line }, 'oidc.logout_refused')
    return 'invalid'
  }

  async function read(token: string): Promise<LogoutClaims | 'invalid' | 'unreachable'> {
    try {
      return await provider.readLogout(token, now())
    } catch (error) {
      const outcome = refuse(reasonOf(error))
      return isUnreachable(error) ? 'unreachable' : outcome
    }
  }

  /** @returns number of sessions; null: the token was used before */
  async function end(claims: LogoutClaims): Promise<number | null> {
    const { id, until, subject, sid } = claims
    if (shared === null) return used.take(id, until) ? people.end(claims) : null
    const ended = await shared.endGrants(
      { personId: subject && personId(issuer, subject), sid: sid && hashOf(issuer, sid) },
      { hash: hashOf(issuer, `logout ${id}`), at: now(), until },
    )
    // Not only when the database says so, which may take a moment.
    if (ended !== null) people.end(claims)
    return ended
  }

  return async function logOut(token: string): Promise<'done' | 'invalid' | 'unreachable'> {
    const claims = await read(token)
    if (typeof claims === 'string') return claims
    const sessions = await end(claims)
    if (sessions === null) return refuse('it was used before')
    log.info({ sessions }, 'oidc.logout')
    return 'done'
  }
}
