import { randomBytes } from 'node:crypto'
import type { ClientEnvironment, ClientPrincipal, ProviderIdentity } from '../domain/client.ts'
import { personId } from '../domain/public-id.ts'
import { guarded } from '../platform/background.ts'
import { withoutControlCharacters } from '../platform/control-characters.ts'
import type { Log } from '../platform/log.ts'
import { isUnreachable } from './failure.ts'
import type { LogoutClaims } from './logout-token.ts'
import type { Granted, Provider } from './provider.ts'
import { type Rights, rightsOf } from './rights.ts'
import type { OidcSettings } from './settings.ts'

/** A person in one session. The rights follow the provider. */
export interface TeamPerson {
  readonly id: string
  readonly name: string
  readonly environment: ClientEnvironment
  /** Opens the API of the pages, in this process alone. */
  readonly token: string
  readonly credential: string
  /** Why the session is over; null: it is not. */
  ending(): string | null
  /** null: the session is over. */
  principal(): ClientPrincipal | null
  /** Asks the provider again if the last answer is too old. @returns false: the session is over */
  confirm(): Promise<boolean>
  /** The session has ended: the provider is asked no more. */
  release(): void
}

export interface People {
  /** @returns null: no role matches */
  add(granted: Granted): TeamPerson | null
  /** With a token of `TeamPerson`. */
  principalOf(token: string): ClientPrincipal | null
  /** Whether the person still has a session here. */
  isKnown(principal: ClientPrincipal): boolean
  /** Ends sessions. @returns their number */
  end(claims: Pick<LogoutClaims, 'subject' | 'sid'>): number
  /** Asks the provider for every session whose last answer is too old. */
  check(): Promise<void>
  close(): void
}

interface Known {
  readonly identity: ProviderIdentity
  readonly id: string
  readonly token: string
  readonly sid: string | null
  readonly startedAt: number
  /** Of the latest tokens. */
  claims: Granted['claims']
  refreshToken: string | null
  rights: Rights
  /** The last answer of the provider. */
  confirmedAt: number
  /** The last question to it. */
  askedAt: number
  asking: Promise<void> | null
  /** Why the session is over; null: it is not. */
  ending: string | null
}

/** With the round of the job and the time limit of a request, below the 60 s after which a refused session is over. */
const CONFIRM_MS = 30_000
const ROUND_MS = 10_000
/** A request waits for the provider where the job is late. */
const LATE_MS = 45_000
/** How long sessions go on while the provider cannot be reached. */
export const UNREACHABLE_MS = 600_000
/** A session without a refresh token. */
export const UNREFRESHED_MS = 900_000
const QUESTIONS = 4
const LONGEST_NAME = 100

export function createPeople(
  settings: Pick<OidcSettings, 'issuer' | 'claim' | 'roles'>,
  {
    provider,
    onEnded,
    onUnreachable,
    now,
    log,
  }: {
    readonly provider: Pick<Provider, 'refresh'>
    /** Sessions are over, whose answers may still be under way. */
    readonly onEnded: () => void
    readonly onUnreachable: (error: unknown, client: string) => void
    readonly now: () => number
    readonly log: Log
  },
): People {
  const people = new Map<string, Known>()

  function endOf(known: Known, reason: string): void {
    known.ending ??= reason
    people.delete(known.token)
  }

  async function refresh(known: Known, refreshToken: string): Promise<void> {
    known.askedAt = now()
    try {
      const granted = await provider.refresh(refreshToken, known.claims)
      const rights = rightsOf(granted.claims, settings)
      if (rights === null) return endOf(known, 'no role')
      known.claims = granted.claims
      known.refreshToken = granted.refreshToken
      known.rights = rights
      known.confirmedAt = now()
    } catch (error) {
      if (!isUnreachable(error)) return endOf(known, 'refused by the provider')
      onUnreachable(error, known.id)
      if (isOlder(known.confirmedAt, UNREACHABLE_MS)) endOf(known, 'provider unreachable')
    }
  }

  /** A clock that was set back makes it old. */
  function isOlder(at: number, ms: number): boolean {
    return Math.abs(now() - at) >= ms
  }

  async function confirm(known: Known, ms: number): Promise<void> {
    if (known.ending !== null) return
    if (known.refreshToken === null) {
      if (isOlder(known.startedAt, UNREFRESHED_MS)) endOf(known, 'no refresh token')
      return
    }
    if (known.asking === null && !isOlder(known.askedAt, ms)) return
    known.asking ??= refresh(known, known.refreshToken).finally(() => {
      known.asking = null
    })
    await known.asking
  }

  async function check(): Promise<void> {
    const waiting = [...people.values()]
    const before = people.size
    const askInTurn = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await confirm(next, CONFIRM_MS)
    }
    await Promise.all(Array.from({ length: QUESTIONS }, askInTurn))
    if (people.size < before) onEnded()
  }

  const timer = setInterval(guarded(log, 'asking the OpenID provider', check), ROUND_MS).unref()

  return {
    add({ claims, refreshToken }) {
      const rights = rightsOf(claims, settings)
      if (rights === null) return null
      const at = now()
      const identity = { issuer: settings.issuer, subject: claims.sub, name: nameIn(claims) }
      const known: Known = {
        identity,
        id: personId(identity.issuer, identity.subject),
        token: randomBytes(32).toString('base64url'),
        sid: typeof claims.sid === 'string' ? claims.sid : null,
        startedAt: at,
        claims,
        refreshToken,
        rights,
        confirmedAt: at,
        askedAt: at,
        asking: null,
        ending: null,
      }
      people.set(known.token, known)
      return personOf(known, {
        async confirm() {
          await confirm(known, LATE_MS)
          return known.ending === null
        },
        release() {
          endOf(known, 'session ended')
        },
      })
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
      for (const known of meant) endOf(known, 'logout at the provider')
      if (meant.length > 0) onEnded()
      return meant.length
    },
    check,
    close: () => clearInterval(timer),
  }
}

function personOf(known: Known, ways: Pick<TeamPerson, 'confirm' | 'release'>): TeamPerson {
  return {
    id: known.id,
    name: known.identity.name,
    get environment() {
      return known.rights.environment
    },
    token: known.token,
    credential: known.token,
    ending: () => known.ending,
    principal: () => (known.ending === null ? principalFor(known) : null),
    ...ways,
  }
}

function principalFor({ id, rights, identity }: Known): ClientPrincipal {
  const { environment, scopes } = rights
  return { kind: 'client', id, environment, scopes, generation: 0, isBound: false, person: identity }
}

/** What people call the person; the subject where the provider says nothing. */
export function nameIn(claims: Granted['claims']): string {
  const given = [claims.name, claims.preferred_username, claims.email, claims.sub]
  const name = given.find((one) => typeof one === 'string' && one.trim() !== '')
  return withoutControlCharacters(String(name).trim().slice(0, LONGEST_NAME)).toWellFormed()
}
