import type { AlarmEntry } from '../../../domain/alarms/alarm.ts'
import type { Connection } from '../database/connection.ts'

export function listAlarmEntries(db: Connection): AlarmEntry[] {
  return db
    .prepare<[], AlarmEntry>('select record, code, subject, value from alarms order by record, code, subject')
    .all()
}

/** Inside the transaction. */
export function createAlarmRecord(db: Connection) {
  const put = db.prepare(`
    insert into alarms (record, code, subject, value) values (:record, :code, :subject, :value)
    on conflict (record, code, subject) do update set value = excluded.value`)
  const remove = db.prepare('delete from alarms where record = :record and code = :code and subject = :subject')
  return {
    keep(entries: readonly AlarmEntry[]): void {
      for (const { value, ...key } of entries) {
        if (value === null) remove.run(key)
        else put.run({ ...key, value })
      }
    },
  }
}
