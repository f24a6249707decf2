/** Sessions of people who are signed in: in memory and bounded. Where no other node knows them, a restart of the gateway signs everyone out. */

import { createHash, randomBytes } from 'node:crypto'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'
import type { Html } from '../parts/html.ts'
import type { Person } from './person.ts'
import type { Problem } from './problem.ts'

export interface Session {
  readonly person: Person
  /** Every form carries it. */
  readonly formToken: string
  /** Aborted at the end of the session: answers that are still being sent end with it. */
  readonly ended: AbortSignal
  /** Message for the next page, about the form that was sent last. */
  flash: Flash | null
}

export interface Flash extends Omit<Problem, 'text'> {
  readonly text: string | Html
  readonly isError: boolean
}

export interface Sessions {
  /** @returns the secret id for the cookie. The person's least recently used session ends if there are too many. */
  start(person: Person, certificate: string | null): string | Promise<string>
  /**
   * null: unknown, ended, revoked, or begun with another peer certificate.
   * @param isUse the person did something, which postpones the idle end
   */
  find(id: string, certificate: string | null, isUse: boolean): Session | null | Promise<Session | null>
  end(id: string): void | Promise<void>
  /** Takes up what other nodes have ended; left out: there are none. */
  refresh?(): Promise<void>
  /** Ends all sessions of this process. */
  close(): void
}

/** The sessions that this process knows. */
export interface LocalSessions extends Sessions {
  start(person: Person, certificate: string | null): string
  find(id: string, certificate: string | null, isUse: boolean): Session | null
  end(id: string): void
  has(id: string): boolean
  /** A session that another node began. */
  adopt(id: string, person: Person, begun: Begun): void
  /** It was used on another node. */
  used(id: string, at: number): void
  /** Ends those of people who have no rights any more. */
  endRevoked(): void
  /** Ends all but these. @param keys as `keyOf` */
  keepOnly(keys: ReadonlySet<string>): void
}

interface Begun {
  readonly certificate: string | null
  readonly startedAt: number
  readonly usedAt: number
}

interface Entry extends Session {
  readonly ending: AbortController
  readonly certificate: string | null
  readonly startedAt: number
  usedAt: number
}

export const ABSOLUTE_END_MS = 12 * 3_600_000
export const MAX_SESSIONS = 1000
export const MAX_PER_PERSON = 20
const SWEEP_MS = 15_000

export function createSessions({
  idleEndMs,
  now,
  log,
}: {
  readonly idleEndMs: number
  readonly now: () => number
  readonly log: Log
}): LocalSessions {
  /** By the hash of the id, the least recently used first. */
  const sessions = new Map<string, Entry>()

  function drop(key: string, reason: string): void {
    const entry = sessions.get(key)
    if (entry === undefined) return
    sessions.delete(key)
    entry.ending.abort()
    entry.person.release?.()
    log.info({ client: entry.person.id, reason }, 'session.ended')
  }

  /** null: it goes on. */
  function reasonToEnd({ person, startedAt, usedAt }: Entry, time = now()): string | null {
    if (person.principal() === null) return person.ending?.() ?? 'revoked'
    // A clock that was set back must not lengthen a session.
    if (time < startedAt || time - startedAt >= ABSOLUTE_END_MS) return 'absolute end'
    return time - usedAt >= idleEndMs ? 'idle' : null
  }

  function sweep(): void {
    for (const [key, entry] of sessions) {
      const reason = reasonToEnd(entry)
      if (reason !== null) drop(key, reason)
    }
  }

  function makeRoom(person: Person): void {
    const own = [...sessions].filter(([, entry]) => entry.person.id === person.id)
    const [oldestOwn] = own
    if (own.length >= MAX_PER_PERSON && oldestOwn !== undefined) drop(oldestOwn[0], 'replaced')
    const [oldest] = sessions.keys()
    if (sessions.size >= MAX_SESSIONS && oldest !== undefined) drop(oldest, 'replaced')
  }

  function add(id: string, person: Person, begun: Begun): void {
    makeRoom(person)
    const ending = new AbortController()
    sessions.set(keyOf(id), { person, formToken: formTokenOf(id), ended: ending.signal, flash: null, ending, ...begun })
  }

  const timer = setInterval(guarded(log, 'ending sessions', sweep), SWEEP_MS).unref()
  return {
    start(person, certificate) {
      const id = newSecretText()
      add(id, person, { certificate, startedAt: now(), usedAt: now() })
      log.info({ client: person.id, bound: certificate !== null }, 'session.started')
      return id
    },
    find(id, certificate, isUse) {
      const key = keyOf(id)
      const entry = sessions.get(key)
      if (entry === undefined || entry.certificate !== certificate) return null
      // One reading: a clock that moves between two would postpone the idle end that it brings.
      const time = now()
      const reason = reasonToEnd(entry, time)
      if (reason !== null) {
        drop(key, reason)
        return null
      }
      if (isUse) {
        entry.usedAt = time
        sessions.delete(key)
        sessions.set(key, entry)
      }
      return entry
    },
    end: (id) => drop(keyOf(id), 'signed out'),
    has: (id) => sessions.has(keyOf(id)),
    adopt(id, person, begun) {
      // Of two requests at the same time, the second one finds it.
      if (!sessions.has(keyOf(id))) add(id, person, begun)
    },
    used(id, at) {
      const entry = sessions.get(keyOf(id))
      if (entry !== undefined) entry.usedAt = Math.max(entry.usedAt, at)
    },
    endRevoked: sweep,
    keepOnly(keys) {
      for (const key of [...sessions.keys()]) if (!keys.has(key)) drop(key, 'ended on another node')
    },
    close() {
      clearInterval(timer)
      for (const key of [...sessions.keys()]) drop(key, 'gateway stopped')
    },
  }
}

/** 256 bits. */
function newSecretText(): string {
  return randomBytes(32).toString('base64url')
}

/** The same on every node, and of no use to find the id. */
function formTokenOf(id: string): string {
  return createHash('sha256').update(`form\n${id}`).digest('base64url')
}

/** Names a session in the database and in memory. It does not open the session. */
export function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
