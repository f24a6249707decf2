import type { ExpiryWarning } from '../../domain/expiry.ts'
import type { Inactivity } from '../../domain/inactivity.ts'
import type { Realm } from '../../domain/realm.ts'
import type { DestinationCertificate, SeenPeer } from '../../domain/store-reader.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

/** false: this warning, or one with fewer days left, was given before. Warnings that a jump of the clock skipped are not made up for. */
export async function noteExpiryWarning({ sql }: Transaction, warning: ExpiryWarning): Promise<boolean> {
  const { set, fingerprint, warning: days, event } = warning
  const changed = await sql.run(
    `insert into expiry_warnings (certificate_set, fingerprint, warning, warned_at) values (:set, :fingerprint, :days, at_ms(:now))
    on conflict (certificate_set, fingerprint) do update set warning = excluded.warning, warned_at = excluded.warned_at
      where excluded.warning < expiry_warnings.warning`,
    { set, fingerprint, days, now: event.madeAt },
  )
  return changed > 0
}

/** false: an event for this or a later silence of the kind was stored before. */
export async function noteInactivity({ sql }: Transaction, { kind, since, event }: Inactivity): Promise<boolean> {
  const changed = await sql.run(
    `insert into silences (kind, since, raised_at) values (:kind, at_ms(:since), at_ms(:now))
    on conflict (kind) do update set since = excluded.since, raised_at = excluded.raised_at where excluded.since > silences.since`,
    { kind, since, now: event.madeAt },
  )
  return changed > 0
}

export async function keepDestinationCertificate(
  _parts: unknown,
  { sql }: Transaction,
  certificate: DestinationCertificate,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into destination_certificates (destination_id, host, fingerprint, subject, issuer, not_before, not_after, seen_at)
    values (:destinationId, :host, :fingerprint, :subject, :issuer, at_ms(:notBefore), at_ms(:notAfter), at_ms(:now))
    on conflict (destination_id) do update set host = excluded.host, fingerprint = excluded.fingerprint, subject = excluded.subject,
      issuer = excluded.issuer, not_before = excluded.not_before, not_after = excluded.not_after, seen_at = excluded.seen_at
      where destination_certificates.host <> excluded.host or destination_certificates.fingerprint <> excluded.fingerprint`,
    { ...certificate, now },
  )
}

export function listDestinationCertificates(sql: Sql): Promise<DestinationCertificate[]> {
  return sql.all<DestinationCertificate>(
    `select c.destination_id as "destinationId", c.host, c.fingerprint, c.subject, c.issuer, c.not_before as "notBefore", c.not_after as "notAfter"
    from destination_certificates c join destinations d on d.id = c.destination_id
    where d.state in ('active', 'paused') order by c.destination_id`,
  )
}

/** Callers since `since`, the latest first. */
export function listPeers(sql: Sql, since: number): Promise<SeenPeer[]> {
  return sql.all<SeenPeer>(
    `select fingerprint, serial, subject, issuer, not_after as "notAfter", pem, environment, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"
    from peers where last_seen_at >= at_ms(:since) order by peers.last_seen_at desc, id`,
    { since },
  )
}

/** Repeats count for this many newest events. For older ones only the first receipt counts. */
const LOOKED_AT = 20_000

/** Of an event `e`: the service was asked for it. */
const IS_RECONCILED = 'exists (select from reconciled_facts f where f.event_id = e.id)'

/** When the latest callback of the kind was received, also if it was a duplicate, is in quarantine, or its token waits; null: never. */
export async function lastReceivedAt(sql: Sql, kind: string, environment: Realm): Promise<number | null> {
  const row = await sql.get<{ at: number | null }>(
    `select max(heard_at) as at from (
      (select case when ${IS_RECONCILED} then last_seen_at else greatest(received_at, last_seen_at) end as heard_at, kind, environment
        from events e order by id desc limit ${LOOKED_AT})
      union all
      (select received_at, kind, environment from events e
        where kind = :kind and environment = :environment and not ${IS_RECONCILED} order by id desc limit 1)
      union all
      (select last_seen_at, kind, environment from quarantine order by id desc limit ${LOOKED_AT})
      union all
      (select t.last_seen_at, c.kind, t.environment from notification_tokens t join callbacks c on c.callback_id = t.callback_id)
    ) heard where kind = :kind and environment = :environment`,
    { kind, environment },
  )
  return row?.at ?? null
}
