import type { Sql } from './sql.ts'

export async function readMeta(sql: Sql, key: string): Promise<string | undefined> {
  return (await sql.get<{ value: string }>('select value from meta where key = :key', { key }))?.value
}

export async function keepMeta(sql: Sql, key: string, value: string): Promise<void> {
  await sql.run('insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = :value', {
    key,
    value,
  })
}
