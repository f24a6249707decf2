import type { TokenRow, TokenRows } from '../../storing/token-jobs.ts'
import { type StoredToken, tokenOfRow } from '../../storing/token-row.ts'
import type { Connection } from '../database/connection.ts'

export function createTokenRows(db: Connection): TokenRows {
  const statements = prepareStatements(db)
  return {
    find: (environment, token) => found(statements.find.get(environment, token)),
    get: (id) => found(statements.get.get(id)),
    insert: (job) => Number(statements.insert.run(job).lastInsertRowid),
    update({ entries, isUnresolved, ...row }) {
      const { through, beyond } = entries
      statements.update.run({ ...row, isUnresolved: isUnresolved ? 1 : 0, through, beyond: JSON.stringify(beyond) })
    },
    removeEmptyCallback(callbackId) {
      if (statements.hasEvent.get(callbackId) === undefined) statements.removeCallback.run(callbackId)
    },
    forget: (before, limit) => void statements.forget.run(before, limit),
  }
}

function found(row: StoredToken | undefined): TokenRow | undefined {
  return row && tokenOfRow(row)
}

function prepareStatements(db: Connection) {
  return {
    find: db.prepare<[string, string], StoredToken>(
      'select * from notification_tokens where environment = ? and token = ?',
    ),
    get: db.prepare<[number], StoredToken>('select * from notification_tokens where id = ?'),
    insert: db.prepare(`
      insert into notification_tokens (environment, token, callback_id, waiting_since, next_attempt_at, last_seen_at)
      values (:environment, :token, :callbackId, :at, :at, :at)`),
    update: db.prepare(`
      update notification_tokens set version = :version, callback_id = :callbackId, waiting_since = :waitingSince, attempts = :attempts,
        next_attempt_at = :nextAttemptAt, last_error = :lastError, is_unresolved = :isUnresolved, entries_through = :through,
        entries_beyond = :beyond, last_seen_at = :lastSeenAt
      where id = :id`),
    // A callback with a token is stored without an event, so its events are in the index.
    hasEvent: db.prepare<[number], unknown>('select 1 from events where callback_id = ? and is_single is null limit 1'),
    removeCallback: db.prepare<[number]>('delete from callbacks where id = ?'),
    // One whose callback has no event stays until retention has removed the callback, which belongs to nothing else.
    forget: db.prepare<[number, number]>(`
      delete from notification_tokens where id in (
        select id from notification_tokens t indexed by notification_tokens_done
        where next_attempt_at is null and last_seen_at < ?
          and (callback_id is null or exists (select 1 from events e where e.callback_id = t.callback_id and e.is_single is null))
        order by last_seen_at limit ?)`),
  }
}
