import { randomBytes } from 'node:crypto'
import type { ClientEnvironment, ClientPrincipal, ProviderIdentity } from '../domain/client.ts'
import type { TeamGrant } from '../domain/nodes/page-session.ts'
import { personId } from '../domain/public-id.ts'
import { withoutControlCharacters } from '../platform/control-characters.ts'
import type { GrantContent } from './grants.ts'
import type { Granted } from './provider.ts'
import type { Rights } from './rights.ts'

/** A person in one session. The rights follow the provider. */
export interface TeamPerson {
  readonly id: string
  readonly name: string
  readonly environment: ClientEnvironment
  /** Opens the API of the pages, in this process alone. */
  readonly token: string
  readonly credential: string
  readonly grant: SharedGrant
  /** Why the session is over; null: it is not. */
  ending(): string | null
  /** null: the session is over. */
  principal(): ClientPrincipal | null
  /** Asks the provider again if the last answer is too old. @returns false: the session is over */
  confirm(): Promise<boolean>
  /** The session has ended: this process asks the provider no more. */
  release(): void
}

/** What the provider granted, for sessions that further nodes know. */
export interface SharedGrant {
  seal(): Promise<TeamGrant>
  /** The database has it. @param key of the session */
  kept(key: string): void
  /** What the database has now. */
  takeUp(grant: TeamGrant): Promise<void>
}

/** What this process knows of a session. */
export interface Known {
  readonly identity: ProviderIdentity
  readonly name: string
  readonly id: string
  readonly token: string
  readonly credential: string
  readonly sid: string | null
  readonly startedAt: number
  /** Of the session in the database; null: it is not there. */
  key: string | null
  /** As `TeamGrant`. */
  version: number
  /** Of the latest tokens. */
  claims: Granted['claims']
  refreshToken: string | null
  rights: Rights
  /** The last answer of the provider. */
  confirmedAt: number
  /** The last question to it, of any node. */
  askedAt: number
  asking: Promise<void> | null
  /** Why the session is over; null: it is not. */
  ending: string | null
}

const LONGEST_NAME = 100

export function knownOf(
  { name, claims, ...content }: GrantContent,
  rights: Rights,
  {
    issuer,
    ...kept
  }: { readonly issuer: string; readonly key: string | null; readonly version: number; readonly askedAt: number },
): Known {
  return {
    ...content,
    ...kept,
    claims,
    rights,
    name,
    identity: { issuer, subject: claims.sub, name },
    id: personId(issuer, claims.sub),
    token: randomBytes(32).toString('base64url'),
    asking: null,
    ending: null,
  }
}

export function personOf(known: Known, ways: Pick<TeamPerson, 'confirm' | 'release' | 'grant'>): TeamPerson {
  return {
    id: known.id,
    name: known.name,
    get environment() {
      return known.rights.environment
    },
    token: known.token,
    credential: known.credential,
    ending: () => known.ending,
    principal: () => (known.ending === null ? principalFor(known) : null),
    ...ways,
  }
}

export function principalFor({ id, rights, identity }: Known): ClientPrincipal {
  const { environment, scopes } = rights
  return { kind: 'client', id, environment, scopes, generation: 0, isBound: false, person: identity }
}

/** What people call the person; the subject where the provider says nothing. */
export function nameIn(claims: Granted['claims']): string {
  const given = [claims.name, claims.preferred_username, claims.email, claims.sub]
  const name = given.find((one) => typeof one === 'string' && one.trim() !== '')
  return withoutControlCharacters(String(name).trim().slice(0, LONGEST_NAME)).toWellFormed()
}
