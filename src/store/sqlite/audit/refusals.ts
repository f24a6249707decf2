import type { RefusalBatch, RefusalFilter, RefusalPage, RefusalRecord } from '../../../domain/refusal.ts'
import type { RefusalRow } from '../../rows/refusal-row.ts'
import { refusalOfRow } from '../../rows/refusal-row.ts'
import { KEPT, KEPT_CALLBACKS, KEPT_PER_ADDRESS, OF_CALLBACK } from '../../rules/kept-refusals.ts'
import { conditionsFor } from '../../rules/numbered-page.ts'
import { inEnvironment, ofInstitution } from '../blocks/realm-conditions.ts'
import type { Connection } from '../database/connection.ts'
import { newestNumber, numberedPage } from '../database/numbered-page.ts'

export function createRefusals(db: Connection) {
  const insert = db.prepare(`
    insert into refusals (refused_at, listener, remote_address, code, reason, raw_code, detail, environment, tls_version, server_name, chain, count)
    values (:refusedAt, :listener, :remoteAddress, :code, :reason, :rawCode, :detail, :environment, :tlsVersion, :serverName, :chain, :count)`)
  const markProbes = db.prepare(`
    update refusals set is_probe = 1
    where remote_address = :address and code = 'no_certificate' and refused_at >= :since and is_probe = 0`)
  const pruneAddress = db.prepare(`
    delete from refusals where remote_address = :address and not ${OF_CALLBACK} and id <=
      (select id from refusals where remote_address = :address and not ${OF_CALLBACK} order by id desc limit 1 offset ${KEPT_PER_ADDRESS})`)
  const count = db.prepare<[], { callbacks: number; others: number }>(
    `select count(*) filter (where ${OF_CALLBACK}) as callbacks, count(*) filter (where not ${OF_CALLBACK}) as others from refusals`,
  )
  const pruneOldest = pruneStatement(db, `not ${OF_CALLBACK}`)
  const pruneCallbacks = pruneStatement(db, OF_CALLBACK)

  return {
    /** Returns how many were newly marked as the service's probe. */
    record({ refusals, probes }: RefusalBatch): number {
      for (const refusal of refusals) insert.run({ ...refusal, chain: JSON.stringify(refusal.chain) })
      for (const address of new Set(refusals.map((refusal) => refusal.remoteAddress))) pruneAddress.run({ address })
      const { callbacks, others } = count.get() ?? { callbacks: 0, others: 0 }
      if (others > KEPT) pruneOldest.run(others - KEPT)
      if (callbacks > KEPT_CALLBACKS) pruneCallbacks.run(callbacks - KEPT_CALLBACKS)
      return probes.reduce((marked, probe) => marked + markProbes.run(probe).changes, 0)
    },
  }
}

function pruneStatement(db: Connection, condition: string) {
  return db.prepare(`delete from refusals where id in (select id from refusals where ${condition} order by id limit ?)`)
}

const CONDITIONS = [
  ['before', 'id < :before'],
  ['address', 'remote_address = :address'],
  ['listener', 'listener = :listener'],
  ['environment', inEnvironment('environment')],
  ['institution', ofInstitution('environment')],
  ['refusedFrom', 'refused_at >= :refusedFrom'],
  ['refusedTo', 'refused_at < :refusedTo'],
  ['codes', 'code in (select value from json_each(:codes))'],
] as const

export function listRefusals(db: Connection, filter: RefusalFilter, limit: number): RefusalPage {
  const codes = filter.codes === undefined ? undefined : JSON.stringify(filter.codes)
  const query = { ...conditionsFor({ ...filter, codes }, CONDITIONS), table: 'refusals', after: filter.after } as const
  const { rows, ...rest } = numberedPage<RefusalRow>(db, { ...query, newestFirst: filter.newestFirst }, limit)
  return { refusals: rows.map(refusalOfRow), ...rest }
}

export function getRefusal(db: Connection, id: number): RefusalRecord | null {
  const row = db.prepare<[number], RefusalRow>('select * from refusals where id = ?').get(id)
  return row === undefined ? null : refusalOfRow(row)
}

export function latestRefusal(db: Connection): number {
  return newestNumber(db, 'refusals')
}
