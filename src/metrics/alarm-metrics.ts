import type { Exposition } from './exposition.ts'

export interface AlarmSources {
  /** Of every configured channel. */
  readonly failures: () => readonly { readonly channel: string; readonly count: number }[]
}

export function exposeAlarms(exposition: Exposition, { failures }: AlarmSources): void {
  exposition.counter(
    {
      name: 'portaria_alarm_failures_total',
      help: 'Messages of alarms that a channel could not send; repetitions count.',
    },
    ['channel'],
    (emit) => {
      for (const { channel, count } of failures()) emit({ channel }, count)
    },
  )
}
