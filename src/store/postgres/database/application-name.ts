import { hostname } from 'node:os'
import type pg from 'pg'

/** What a connection of a node is for. `start`: it becomes a `writer` when the schema has been checked. */
export type Use = 'start' | 'writer' | 'reader' | 'listener' | 'command'

/** PostgreSQL keeps 63 bytes of it. */
const NODE_CHARACTERS = 40

/** How PostgreSQL lists a connection, as in `pg_stat_activity`. */
export function applicationName(node: string | undefined, use: Use): string {
  return `portaria ${(node ?? hostname()).slice(0, NODE_CHARACTERS)} ${use}`
}

export async function becomeWriter(client: pg.Client, node: string | undefined): Promise<void> {
  await client.query("select set_config('application_name', $1, false)", [applicationName(node, 'writer')])
}

/** The nodes that write to this database now, by their connections. */
export async function listOtherWriters(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    "select distinct application_name as name from pg_stat_activity where datname = current_database() and application_name like 'portaria % writer' order by 1",
  )
  return rows.map(({ name }) => name.split(' ').slice(1, -1).join(' '))
}
