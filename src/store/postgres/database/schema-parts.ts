import type pg from 'pg'

/** The tables and indexes of a schema, and their columns. */
export type SchemaParts = Readonly<Record<string, readonly string[]>>

export async function readParts(client: pg.Client): Promise<SchemaParts> {
  const { rows } = await client.query(`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'i', 'I') and attnum > 0 and not attisdropped
    group by relname order by relname`)
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]))
}

/** What should be there, in words. More may be there, of a newer program. */
export async function listMissing(client: pg.Client, wanted: SchemaParts, parts: SchemaParts): Promise<string[]> {
  const missing = Object.entries(wanted).flatMap(([name, columns]) => {
    const there = parts[name]
    if (there === undefined) return [name]
    return columns.filter((column) => !there.includes(column)).map((column) => `${name}.${column}`)
  })
  if (missing.length > 0) return missing
  const { rows } = await client.query('select count(*)::integer as heads from head')
  return rows[0].heads === 1 ? [] : ['the row of head']
}
