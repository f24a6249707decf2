import type { Sql } from './sql.ts'

/** On which all nodes hear of commits. */
export const CHANNEL = 'portaria'

/**
 * The last number of each sort that was given, and the hash of the last event. Each writing transaction locks it first: so numbers are given in the order
 * of commits, also by several nodes, and a rollback gives none.
 */
export interface Head {
  position: number
  hash: Buffer
  peer: number
  callback: number
  delivery: number
  quarantined: number
  token: number
  action: number
  destinations: number
  leases: number
  /** Of the last commit that other nodes must know of. */
  changes: number
}

/** @param notice for all nodes, after the commit; null: none. In the same statement, because each is a round trip. */
export async function writeHead(sql: Sql, head: Head, notice: string | null): Promise<void> {
  const told = notice === null ? '' : `returning pg_notify('${CHANNEL}', :notice)`
  await sql.run(
    `update head set position = :position, hash = :hash, peer = :peer, callback = :callback, delivery = :delivery, quarantined = :quarantined, token = :token,
      action = :action, destinations = :destinations, leases = :leases, changes = :changes ${told}`,
    { ...head, notice },
  )
}

export async function readHead(sql: Sql): Promise<Head> {
  return (await sql.get<Head>('select * from head')) as Head
}
