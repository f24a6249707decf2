/** When the provider is asked about a session, by one node at a time, and what follows from its answer. */

import type { PageSessionStore, TeamGrant } from '../domain/nodes/page-session.ts'
import { isUnreachable } from './failure.ts'
import type { createGrants } from './grants.ts'
import type { Known } from './known.ts'
import type { Provider } from './provider.ts'
import { reasonFor, type SignInRefused } from './refused.ts'
import { rightsOf } from './rights.ts'
import type { OidcSettings } from './settings.ts'

export interface AskingParts {
  readonly provider: Pick<Provider, 'refresh'>
  /** Sessions that other nodes know, too; null: there are none. */
  readonly shared: PageSessionStore | null
  readonly grants: ReturnType<typeof createGrants>
  /** Ends the session in this process. */
  readonly endHere: (known: Known, reason: string) => void
  readonly onUnreachable: (error: unknown, client: string) => void
  /** A session ends by it. */
  readonly onRefused: (refused: SignInRefused) => void
  readonly now: () => number
}

/** How long sessions go on while the provider cannot be reached. */
export const UNREACHABLE_MS = 600_000
/** A session without a refresh token. */
export const UNREFRESHED_MS = 900_000

export function createAsking(
  settings: Pick<OidcSettings, 'claim' | 'roles'>,
  { provider, shared, grants, endHere, onUnreachable, onRefused, now }: AskingParts,
) {
  /** Sessions that are over, and are still in the database. */
  const ending = new Set<string>()

  async function endEverywhere(known: Known, reason: string): Promise<void> {
    endHere(known, reason)
    if (shared === null || known.key === null) return
    ending.add(known.key)
    await shared.endSession(known.key)
    ending.delete(known.key)
  }

  async function takeUp(known: Known, { sealed, version, askedAt }: Omit<TeamGrant, 'sid'>): Promise<void> {
    known.askedAt = askedAt
    if (version <= known.version) return
    const content = await grants.open(sealed)
    // An answer that this node waited for meanwhile may be newer.
    if (version <= known.version) return
    if (content?.credential !== known.credential) return endHere(known, 'sealed by another node')
    const { claims, refreshToken, confirmedAt } = content
    const rights = rightsOf(claims, settings)
    if (rights === null) return endHere(known, 'no role')
    Object.assign(known, { claims, refreshToken, confirmedAt, rights, version })
  }

  /** @returns false: another node asks, or the session is over */
  async function claim(known: Known, ms: number): Promise<boolean> {
    const at = now()
    if (shared === null || known.key === null) {
      known.askedAt = at
      return true
    }
    const claimed = await shared.claimGrant(known.key, { at, before: at - ms, after: at + ms })
    if (claimed === null) {
      endHere(known, 'ended on another node')
      return false
    }
    await takeUp(known, claimed.grant)
    return claimed.isClaimed && known.ending === null
  }

  async function keep(known: Known): Promise<void> {
    if (shared === null || known.key === null) return
    const { version } = known
    const isKept = await shared.keepGrant(known.key, { sealed: await grants.seal(known), version })
    if (isKept && known.version === version) known.version = version + 1
  }

  async function refresh(known: Known, refreshToken: string): Promise<void> {
    try {
      const granted = await provider.refresh(refreshToken, known.claims)
      const rights = rightsOf(granted.claims, settings)
      if (rights === null) {
        onRefused({ reason: 'role', client: known.id, claims: granted.claims })
        return endEverywhere(known, 'no role')
      }
      Object.assign(known, { ...granted, rights, confirmedAt: now() })
    } catch (error) {
      if (!isUnreachable(error)) {
        onRefused({ reason: reasonFor(error), client: known.id, error })
        return endEverywhere(known, 'refused by the provider')
      }
      onUnreachable(error, known.id)
      return isOlder(known.confirmedAt, UNREACHABLE_MS) ? endEverywhere(known, 'provider unreachable') : undefined
    }
    await keep(known)
  }

  async function ask(known: Known, ms: number): Promise<void> {
    if ((await claim(known, ms)) && known.refreshToken !== null) await refresh(known, known.refreshToken)
  }

  /** A clock that was set back makes it old. */
  function isOlder(at: number, ms: number): boolean {
    return Math.abs(now() - at) >= ms
  }

  return {
    takeUp,
    /** Asks the provider if its last answer is older than `ms`. */
    async confirm(known: Known, ms: number): Promise<void> {
      if (known.ending !== null) return
      if (known.refreshToken === null) {
        if (isOlder(known.startedAt, UNREFRESHED_MS)) await endEverywhere(known, 'no refresh token')
        return
      }
      if (known.asking === null && !isOlder(known.askedAt, ms)) return
      known.asking ??= ask(known, ms).finally(() => {
        known.asking = null
      })
      await known.asking
    },
    isEnding: (key: string) => ending.has(key),
    /** Ends in the database what is over already. */
    async endRest(): Promise<void> {
      if (shared === null) return
      for (const key of ending) {
        await shared.endSession(key)
        ending.delete(key)
      }
    },
  }
}
