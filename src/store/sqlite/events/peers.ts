import type { Peer } from '../../../domain/event.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { SeenPeer } from '../../../domain/store-reader.ts'
import type { Connection } from '../database/connection.ts'

/** Peer certificates of callers, once per fingerprint, with the hour of the latest call. */
export interface Peers {
  /** Inside the transaction. */
  idOf(peer: Peer, environment: Realm, seenAt: number): number
  committed(): void
  rolledBack(): void
}

/** A caller's row is updated once an hour, not with every call. */
const SEEN_STEP_MS = 3_600_000

interface Known {
  readonly id: number
  readonly seenAt: number
  readonly environment: Realm
}

export function createPeers(db: Connection): Peers {
  const find = db.prepare<[string], { id: number; last_seen_at: number; environment: Realm }>(
    'select id, last_seen_at, environment from peers where fingerprint = ?',
  )
  const insert = db.prepare(`
    insert into peers (fingerprint, serial, subject, issuer, not_after, pem, environment, first_seen_at, last_seen_at)
    values (:fingerprint, :serial, :subject, :issuer, :notAfter, :pem, :environment, :seenAt, :seenAt)`)
  const see = db.prepare('update peers set last_seen_at = :seenAt, environment = :environment where id = :id')
  const known = new Map<string, Known>()
  /** Written in this transaction; a rollback forgets them. */
  const touched: string[] = []

  function read(fingerprint: string): Known | null {
    const row = find.get(fingerprint)
    return row === undefined ? null : { id: row.id, seenAt: row.last_seen_at, environment: row.environment }
  }

  return {
    idOf(peer, environment, seenAt) {
      const found = known.get(peer.fingerprint) ?? read(peer.fingerprint)
      if (found !== null && found.environment === environment && seenAt - found.seenAt < SEEN_STEP_MS) {
        known.set(peer.fingerprint, found)
        return found.id
      }
      const id = found?.id ?? Number(insert.run({ ...peer, environment, seenAt }).lastInsertRowid)
      if (found !== null) see.run({ id, environment, seenAt })
      known.set(peer.fingerprint, { id, seenAt, environment })
      touched.push(peer.fingerprint)
      return id
    },

    committed() {
      touched.length = 0
    },

    rolledBack() {
      for (const fingerprint of touched.splice(0)) known.delete(fingerprint)
    },
  }
}

/** Callers since `since`, the latest first. */
export function listPeers(db: Connection, since: number): SeenPeer[] {
  return db
    .prepare<[number], SeenPeer>(`
      select fingerprint, serial, subject, issuer, not_after as notAfter, pem, environment, first_seen_at as firstSeenAt, last_seen_at as lastSeenAt
      from peers where last_seen_at >= ? order by last_seen_at desc, id`)
    .all(since)
}
