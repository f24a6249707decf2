import type pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'
import type { Head } from './head.ts'

/** In `meta`: made with the schema, and never changed. */
export const IDENTITY_KEY = 'identity'

/** Makes it where there is none yet. */
export const MAKE_IDENTITY = `insert into meta (key, value) values ('${IDENTITY_KEY}', gen_random_uuid()) on conflict (key) do nothing`

/**
 * The database that this process began with. What is kept in memory, and what was acknowledged, holds for this one alone: not for an empty one in its
 * place, nor for an older copy, which would give positions out again.
 */
export interface SameDatabase {
  /** Before the schema is looked at or made. @throws PortariaError `store_missing` */
  requireThere(client: pg.Client): Promise<void>
  /** In a transaction, before anything is written. @throws PortariaError `store_missing` */
  require(identity: string | null, head: Head): void
  /** What it survives is on disk. */
  committed(head: Head): void
}

export function createSameDatabase(): SameDatabase {
  /** `require` sets it, once. */
  let known: string | null = null
  let latest: Readonly<Record<string, number>> = {}

  function requireKnown(identity: string | null): void {
    if (known !== null && identity !== known) throw new PortariaError('store_missing', OTHER)
  }

  return {
    async requireThere(client) {
      if (known === null) return
      const { rows } = await client.query("select to_regclass('meta') is not null as is_there")
      const found = rows[0].is_there
        ? await client.query('select value from meta where key = $1', [IDENTITY_KEY])
        : { rows: [] }
      requireKnown(found.rows[0]?.value ?? null)
    },
    require(identity, head) {
      requireKnown(identity)
      const { hash: _hash, ...numbers } = head
      const older = Object.entries(latest).find(([name, number]) => numbers[name as keyof typeof numbers] < number)
      if (older !== undefined) throw new PortariaError('store_missing', OLDER)
      known = identity
    },
    committed(head) {
      const { hash: _hash, ...numbers } = head
      latest = numbers
    },
  }
}

const ENDS = 'the gateway ends, and its next start takes what is there then'
const OTHER = `the database is empty, or another one than this gateway has worked with: ${ENDS}. If that is a mistake, keep the gateway stopped, and bring the earlier one back: what was acknowledged is in it`
const OLDER = `the database is an older copy of the one that this gateway has worked with, and would give positions out again: ${ENDS}. If that is a mistake, keep the gateway stopped, and bring the newer one back: what was acknowledged since is in it`
