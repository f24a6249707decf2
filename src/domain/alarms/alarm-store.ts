import type { AlarmEntry } from './alarm.ts'

export interface AlarmReads {
  /** Every entry, by record, code and subject. There are a few for each alarm that is open. */
  listAlarmEntries(): Promise<AlarmEntry[]>
}

export interface AlarmWrites {
  /** Writes entries, and removes those without a value, all of them or none. */
  keepAlarmEntries(entries: readonly AlarmEntry[]): Promise<void>
}
