import type { OwnEvent } from '../../domain/event.ts'
import type { ExpiryWarning } from '../../domain/expiry.ts'
import type { Inactivity } from '../../domain/inactivity.ts'
import type { DestinationCertificate, SeenPeer } from '../../domain/store-reader.ts'
import { type Asked, all, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { insertInto, selected } from './table-texts.ts'

/** null: this warning, or one with fewer days left, was given before. Warnings that a jump of the clock skipped are not made up for. */
export function* raiseExpiryWarning(d: Dialect, warning: ExpiryWarning): Asked<OwnEvent | null> {
  const { set: certificateSet, fingerprint, warning: days, event } = warning
  const changed = yield* run(
    `${insertInto(d, 'expiry_warnings')}
    on conflict (certificate_set, fingerprint) do update set warning = excluded.warning, warned_at = excluded.warned_at
      where excluded.warning < expiry_warnings.warning`,
    { certificateSet, fingerprint, warning: days, warnedAt: event.madeAt },
  )
  return changed > 0 ? event : null
}

/** null: an event for this or a later silence of the kind was stored before. */
export function* raiseInactivity(d: Dialect, { kind, since, event }: Inactivity): Asked<OwnEvent | null> {
  const changed = yield* run(
    `${insertInto(d, 'silences')}
    on conflict (kind) do update set since = excluded.since, raised_at = excluded.raised_at where excluded.since > silences.since`,
    { kind, since, raisedAt: event.madeAt },
  )
  return changed > 0 ? event : null
}

export function* keepDestinationCertificate(
  d: Dialect,
  certificate: DestinationCertificate,
  seenAt: number,
): Asked<void> {
  yield* run(
    `${insertInto(d, 'destination_certificates')}
    on conflict (destination_id) do update set host = excluded.host, fingerprint = excluded.fingerprint, subject = excluded.subject,
      issuer = excluded.issuer, not_before = excluded.not_before, not_after = excluded.not_after, seen_at = excluded.seen_at
      where destination_certificates.host <> excluded.host or destination_certificates.fingerprint <> excluded.fingerprint`,
    { ...certificate, seenAt },
  )
}

export function* listDestinationCertificates(_: Dialect): Asked<DestinationCertificate[]> {
  return yield* all<DestinationCertificate>(
    `select ${selected('destination_certificates', 'seen_at')} from destination_certificates
    where destination_id in (select id from destinations where state in ('active', 'paused')) order by destination_id`,
  )
}

/** Callers since `since`, the latest first. */
export function* listPeers({ time }: Dialect, since: number): Asked<SeenPeer[]> {
  return yield* all<SeenPeer>(
    `select ${selected('peers', 'id')} from peers where last_seen_at >= ${time(':since')} order by last_seen_at desc, id`,
    { since },
  )
}
