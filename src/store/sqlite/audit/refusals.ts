import type { Realm } from '../../../domain/realm.ts'
import type {
  PeerCertificateRecord,
  RefusalBatch,
  RefusalCode,
  RefusalFilter,
  RefusalPage,
  RefusalRecord,
  RefusingListener,
} from '../../../domain/refusal.ts'
import { REFUSED_CALLBACK_CODES } from '../../../domain/refused-callbacks.ts'
import { inEnvironment, ofInstitution } from '../blocks/realm-conditions.ts'
import type { Connection } from '../database/connection.ts'
import { conditionsFor, newestNumber, numberedPage } from '../database/numbered-page.ts'

/** The newest refusals are kept: per address, so that one scanner does not displace the others, and in total. */
const KEPT_PER_ADDRESS = 1000
const KEPT = 10_000
/** Refused callbacks of identified callers are kept apart, so that no scanner displaces them. */
const KEPT_CALLBACKS = 1000
const OF_CALLBACK = `(environment is not null and code in (${REFUSED_CALLBACK_CODES.map((code) => `'${code}'`).join()}))`

interface RefusalRow {
  id: number
  refused_at: number
  listener: RefusingListener
  remote_address: string
  code: RefusalCode
  reason: string
  raw_code: string | null
  detail: string | null
  environment: Realm | null
  tls_version: string | null
  server_name: string | null
  chain: string
  count: number
  is_probe: number
}

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

function refusalOfRow(row: RefusalRow): RefusalRecord {
  return {
    id: row.id,
    refusedAt: row.refused_at,
    listener: row.listener,
    remoteAddress: row.remote_address,
    code: row.code,
    reason: row.reason,
    rawCode: row.raw_code,
    detail: row.detail,
    environment: row.environment,
    tlsVersion: row.tls_version,
    serverName: row.server_name,
    chain: JSON.parse(row.chain) as PeerCertificateRecord[],
    count: row.count,
    isProbe: row.is_probe === 1,
  }
}
