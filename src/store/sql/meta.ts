import { type Asked, get, run } from './asked.ts'

/** Of the table `meta`. */
export function* readMeta(key: string): Asked<string | undefined> {
  return (yield* get<{ value: string }>('select value from meta where key = :key', { key }))?.value
}

export function* keepMeta(key: string, value: string): Asked<void> {
  yield* run(
    'insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = excluded.value',
    {
      key,
      value,
    },
  )
}
