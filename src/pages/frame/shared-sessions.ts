/** Sessions that count on every node: the database knows them, and each node has in memory what belongs to those that it has met. */

import { createHash } from 'node:crypto'
import type { PageSession, PageSessionStore } from '../../domain/nodes/page-session.ts'
import type { People } from '../../oidc/people.ts'
import type { Identities, Person } from './person.ts'
import { ABSOLUTE_END_MS, keyOf, type LocalSessions, MAX_PER_PERSON, MAX_SESSIONS, type Sessions } from './sessions.ts'

export interface SharedSessionsOptions {
  readonly local: LocalSessions
  readonly shared: Pick<
    PageSessionStore,
    'keepSession' | 'getSession' | 'useSession' | 'endSession' | 'listSessionKeys'
  >
  readonly identities: Pick<Identities, 'find'>
  /** The sign-in at an OpenID provider; null, or left out: there is none. */
  readonly team?: { readonly people: Pick<People, 'adopt'> } | null
  readonly idleEndMs: number
  readonly now: () => number
}

/** Clocks of nodes may differ so much. */
const SKEW_MS = 5000
/** The database gets a use so often in an idle time. */
const USES = 30

export function shareSessions({ local, shared, identities, team, idleEndMs, now }: SharedSessionsOptions): Sessions {
  async function personIn({ key, personId, grant }: PageSession): Promise<Person | null> {
    return grant === null ? identities.find(personId) : ((await team?.people.adopt(key, grant)) ?? null)
  }

  /** Makes a session of another node one of this node, too. False: it is over. */
  async function adopt(id: string, session: PageSession): Promise<boolean> {
    const { proof, certificate, startedAt, usedAt } = session
    const person = await personIn(session)
    if (person === null) return false
    if (proofOf(id, person) !== proof || startedAt - now() > SKEW_MS) {
      person.release?.()
      return false
    }
    local.adopt(id, person, { certificate, startedAt: Math.min(startedAt, now()), usedAt })
    return true
  }

  return {
    async start(person, certificate) {
      const id = local.start(person, certificate)
      const at = now()
      const key = keyOf(id)
      const grant = (await person.grant?.seal()) ?? null
      const times = { startedAt: at, usedAt: at }
      const session = { key, personId: person.id, proof: proofOf(id, person), certificate, grant, ...times }
      await shared.keepSession(session, {
        sessions: MAX_SESSIONS,
        sessionsOfPerson: MAX_PER_PERSON,
        startedSince: at - ABSOLUTE_END_MS,
        usedSince: at - idleEndMs,
      })
      person.grant?.kept(key)
      return id
    },
    async find(id, certificate, isUse) {
      const known = await shared.getSession(keyOf(id))
      if (known === null) local.end(id)
      if (known === null || known.certificate !== certificate) return null
      if (local.has(id)) local.used(id, known.usedAt)
      else if (!(await adopt(id, known))) return null
      const session = local.find(id, certificate, isUse)
      if (known.grant !== null) await session?.person.grant?.takeUp(known.grant)
      const isToBeTold = isUse && now() - known.usedAt >= idleEndMs / USES
      if (session !== null && isToBeTold) await shared.useSession(known.key, now())
      return session
    },
    async end(id) {
      local.end(id)
      await shared.endSession(keyOf(id))
    },
    async refresh() {
      local.keepOnly(new Set(await shared.listSessionKeys()))
    },
    close: local.close,
  }
}

/** The id is secret: with the database alone, no guess at a token can be tried. */
function proofOf(id: string, { credential }: Person): string {
  return createHash('sha256').update(`${id}\n${credential}`).digest('base64url')
}
