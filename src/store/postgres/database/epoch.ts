import type { Sql } from './sql.ts'

/** A number that no earlier process had. It fences claims: a write after a claim repeats it. */
export async function nextEpoch(sql: Sql): Promise<number> {
  const row = await sql.get<{ value: string }>(
    `insert into meta (key, value) values ('writer_epoch', '1')
    on conflict (key) do update set value = (meta.value::bigint + 1)::text returning value`,
  )
  return Number(row?.value)
}
