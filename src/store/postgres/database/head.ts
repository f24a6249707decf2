import pg from 'pg'
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

/** The statement that writes it. @param notice for all nodes, after the commit; null: none */
export function headStatement(head: Head, notice: string | null): string {
  const { hash, ...numbers } = head
  const set = Object.entries(numbers).map(([name, number]) => `${name} = ${number}`)
  const told = notice === null ? '' : ` returning pg_notify('${CHANNEL}', ${pg.escapeLiteral(notice)})`
  return `update head set ${set.join(', ')}, hash = decode('${hash.toString('hex')}', 'hex')${told}`
}

export async function readHead(sql: Sql): Promise<Head> {
  return (await sql.get<Head>('select * from head')) as Head
}
