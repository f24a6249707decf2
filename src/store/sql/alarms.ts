import type { AlarmEntry } from '../../domain/alarms/alarm.ts'
import { type Asked, all, run } from './asked.ts'
import type { Dialect } from './dialect.ts'

export function* listAlarmEntries({ byBytes }: Dialect): Asked<AlarmEntry[]> {
  return yield* all<AlarmEntry>(
    `select record, code, subject, value from alarms order by record ${byBytes}, code ${byBytes}, subject ${byBytes}`,
  )
}

export function* keepAlarmEntries(_: Dialect, entries: readonly AlarmEntry[]): Asked<void> {
  for (const { value, ...key } of entries) {
    if (value === null) {
      yield* run('delete from alarms where record = :record and code = :code and subject = :subject', key)
      continue
    }
    yield* run(
      `insert into alarms (record, code, subject, value) values (:record, :code, :subject, :value)
      on conflict (record, code, subject) do update set value = excluded.value`,
      { ...key, value },
    )
  }
}
