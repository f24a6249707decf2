import type { Consumer } from '../../domain/consumer.ts'

export interface ConsumerRow {
  readonly id: number
  readonly owner: string | null
  readonly name: string
  readonly position: number
  readonly gaps_reported_at: number
  readonly batch: string | null
  readonly batch_end: number | null
  readonly batch_expires_at: number | null
  readonly created_at: number
  readonly acknowledged_at: number | null
}

export function consumerOfRow(row: ConsumerRow): Consumer {
  const { batch: id, batch_end: end, batch_expires_at: expiresAt } = row
  return {
    owner: row.owner,
    name: row.name,
    position: row.position,
    gapsReportedAt: row.gaps_reported_at,
    batch: id === null || end === null || expiresAt === null ? null : { id, end, expiresAt },
    createdAt: row.created_at,
    acknowledgedAt: row.acknowledged_at,
  }
}
