import { randomBytes } from 'node:crypto'
import type { ClientPrincipal } from '../domain/client.ts'
import type { TeamGrant } from '../domain/nodes/page-session.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import { type AskingParts, createAsking } from './asking.ts'
import { createGrants, hashOf } from './grants.ts'
import { type Known, knownOf, nameIn, personOf, principalFor, type TeamPerson } from './known.ts'
import type { LogoutClaims } from './logout-token.ts'
import type { Granted } from './provider.ts'
import { rightsOf } from './rights.ts'
import type { OidcSettings } from './settings.ts'

export interface People {
  /** @returns null: no role matches */
  add(granted: Granted): TeamPerson | null
  /** A person of a session that another node began. @param key of the session @returns null: it does not count here */
  adopt(key: string, grant: TeamGrant): Promise<TeamPerson | null>
  /** With a token of `TeamPerson`. */
  principalOf(token: string): ClientPrincipal | null
  /** Whether the person still has a session here. */
  isKnown(principal: ClientPrincipal): boolean
  /** Ends sessions of this process. @returns their number */
  end(claims: Pick<LogoutClaims, 'subject' | 'sid'>): number
  /** Asks the provider for every session whose last answer is too old. */
  check(): Promise<void>
  close(): void
}

/** With the round of the job and the time limit of a request, below the 60 s after which a refused session is over. */
const CONFIRM_MS = 30_000
const ROUND_MS = 10_000
/** A request waits for the provider where the job is late. */
const LATE_MS = 45_000
const QUESTIONS = 4

export function createPeople(
  settings: OidcSettings,
  {
    onEnded,
    log,
    ...parts
  }: Omit<AskingParts, 'grants' | 'endHere'> & {
    /** Sessions are over, whose answers may still be under way. */
    readonly onEnded: () => void
    readonly log: Log
  },
): People {
  const { shared, now } = parts
  const { issuer } = settings
  const people = new Map<string, Known>()
  const grants = createGrants(settings)
  const asking = createAsking(settings, { ...parts, grants, endHere })

  function endHere(known: Known, reason: string): void {
    known.ending ??= reason
    people.delete(known.token)
  }

  /** What other nodes have changed. */
  async function takeUpChanges(): Promise<void> {
    if (shared === null) return
    await asking.endRest()
    if (people.size === 0) return
    const listed = new Map((await shared.listGrants()).map(({ key, ...grant }) => [key, grant]))
    for (const known of [...people.values()]) {
      if (known.key === null) continue
      const { askedAt, version } = listed.get(known.key) ?? {}
      if (askedAt !== undefined) known.askedAt = Math.max(known.askedAt, askedAt)
      if (version === known.version) continue
      const grant = (await shared.getSession(known.key))?.grant ?? null
      if (grant === null) endHere(known, 'ended on another node')
      else await asking.takeUp(known, grant)
    }
  }

  async function check(): Promise<void> {
    const before = people.size
    await takeUpChanges()
    const waiting = [...people.values()]
    const askInTurn = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await asking.confirm(next, CONFIRM_MS)
    }
    await Promise.all(Array.from({ length: QUESTIONS }, askInTurn))
    if (people.size < before) onEnded()
  }

  const timer = setInterval(guarded(log, 'asking the OpenID provider', check), ROUND_MS).unref()

  function personFor(known: Known): TeamPerson {
    return personOf(known, {
      async confirm() {
        await asking.confirm(known, LATE_MS)
        return known.ending === null
      },
      release: () => endHere(known, 'session ended'),
      grant: {
        async seal() {
          const { sid, version, askedAt } = known
          return { sid: sid && hashOf(issuer, sid), sealed: await grants.seal(known), version, askedAt }
        },
        kept(key) {
          known.key = key
        },
        takeUp: (grant) => asking.takeUp(known, grant),
      },
    })
  }

  return {
    add(granted) {
      const rights = rightsOf(granted.claims, settings)
      if (rights === null) return null
      const at = now()
      const credential = randomBytes(32).toString('base64url')
      const { sid } = granted.claims
      const person = { name: nameIn(granted.claims), sid: typeof sid === 'string' && sid !== '' ? sid : null }
      const content = { credential, ...person, ...granted, startedAt: at, confirmedAt: at }
      const known = knownOf(content, rights, { issuer, key: null, version: 1, askedAt: at })
      people.set(known.token, known)
      return personFor(known)
    },
    async adopt(key, { sealed, version, askedAt }) {
      const content = await grants.open(sealed)
      const rights = content && rightsOf(content.claims, settings)
      if (content === null || rights === null || asking.isEnding(key)) return null
      const earlier = [...people.values()].find((known) => known.key === key)
      if (earlier !== undefined) return personFor(earlier)
      const known = knownOf(content, rights, { issuer, key, version, askedAt })
      people.set(known.token, known)
      return personFor(known)
    },
    principalOf(token) {
      const known = people.get(token)
      return known === undefined ? null : principalFor(known)
    },
    isKnown: ({ id }) => [...people.values()].some((known) => known.id === id),
    end({ subject, sid }) {
      const meant = [...people.values()].filter(
        (known) => (sid === null || known.sid === sid) && (subject === null || known.identity.subject === subject),
      )
      for (const known of meant) endHere(known, 'logout at the provider')
      if (meant.length > 0) onEnded()
      return meant.length
    },
    check,
    close: () => clearInterval(timer),
  }
}
