import type { AlarmEntry } from '../../domain/alarms/alarm.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

export function listAlarmEntries(sql: Sql): Promise<AlarmEntry[]> {
  return sql.all<AlarmEntry>('select record, code, subject, value from alarms order by record, code, subject')
}

export async function keepAlarmEntries(
  _parts: unknown,
  { sql }: Transaction,
  entries: readonly AlarmEntry[],
): Promise<void> {
  for (const { value, ...key } of entries) {
    if (value === null) {
      await sql.run('delete from alarms where record = :record and code = :code and subject = :subject', key)
      continue
    }
    await sql.run(
      `insert into alarms (record, code, subject, value) values (:record, :code, :subject, :value)
      on conflict (record, code, subject) do update set value = excluded.value`,
      { ...key, value },
    )
  }
}
