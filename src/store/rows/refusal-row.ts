import type { Realm } from '../../domain/realm.ts'
import type { PeerCertificateRecord, RefusalCode, RefusalRecord, RefusingListener } from '../../domain/refusal.ts'

export interface RefusalRow {
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
  is_probe: boolean | number
}

export function refusalOfRow(row: RefusalRow): RefusalRecord {
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
    isProbe: Boolean(row.is_probe),
  }
}
