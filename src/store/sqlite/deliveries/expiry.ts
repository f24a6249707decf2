import type { ExpiryWarning } from '../../../domain/expiry.ts'
import type { DestinationCertificate } from '../../../domain/store-reader.ts'
import type { Connection } from '../database/connection.ts'

export interface ExpiryRecord {
  /** Inside the transaction. false: this warning, or one with fewer days left, was given before. */
  note(warning: ExpiryWarning): boolean
  keepCertificate(certificate: DestinationCertificate, now: number): void
}

export function createExpiryRecord(db: Connection): ExpiryRecord {
  // Warnings that a jump of the clock skipped are not made up for.
  const note = db.prepare(`
    insert into expiry_warnings (certificate_set, fingerprint, warning, warned_at) values (:set, :fingerprint, :warning, :now)
    on conflict do update set warning = :warning, warned_at = :now where :warning < expiry_warnings.warning`)
  const keep = db.prepare(`
    insert into destination_certificates (destination_id, host, fingerprint, subject, issuer, not_before, not_after, seen_at)
    values (:destinationId, :host, :fingerprint, :subject, :issuer, :notBefore, :notAfter, :now)
    on conflict do update set host = :host, fingerprint = :fingerprint, subject = :subject, issuer = :issuer, not_before = :notBefore, not_after = :notAfter, seen_at = :now
      where host <> :host or fingerprint <> :fingerprint`)
  return {
    note({ set, fingerprint, warning, event }) {
      return note.run({ set, fingerprint, warning, now: event.madeAt }).changes > 0
    },
    keepCertificate(certificate, now) {
      keep.run({ ...certificate, now })
    },
  }
}

export function listDestinationCertificates(db: Connection): DestinationCertificate[] {
  return db
    .prepare<[], DestinationCertificate>(`
      select c.destination_id as destinationId, c.host, c.fingerprint, c.subject, c.issuer, c.not_before as notBefore, c.not_after as notAfter
      from destination_certificates c join destinations d on d.id = c.destination_id
      where d.state in ('active', 'paused') order by c.destination_id`)
    .all()
}
