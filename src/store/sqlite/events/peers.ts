import type { Realm } from '../../../domain/realm.ts'
import type { PeerRows } from '../../storing/peers.ts'
import type { Connection } from '../database/connection.ts'

export function createPeerRows(db: Connection): PeerRows {
  const find = db.prepare<[string], { id: number; last_seen_at: number; environment: Realm }>(
    'select id, last_seen_at, environment from peers where fingerprint = ?',
  )
  const insert = db.prepare(`
    insert into peers (fingerprint, serial, subject, issuer, not_after, pem, environment, first_seen_at, last_seen_at)
    values (:fingerprint, :serial, :subject, :issuer, :notAfter, :pem, :environment, :seenAt, :seenAt)`)
  const see = db.prepare('update peers set last_seen_at = :seenAt, environment = :environment where id = :id')
  return {
    find(fingerprint) {
      const row = find.get(fingerprint)
      return row === undefined ? null : { id: row.id, seenAt: row.last_seen_at, environment: row.environment }
    },
    insert: (peer, environment, seenAt) => Number(insert.run({ ...peer, environment, seenAt }).lastInsertRowid),
    see: (peer) => void see.run(peer),
  }
}
