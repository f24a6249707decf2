import type { EventAuthentication, ListenerName } from '../../domain/event.ts'
import type { Evidence } from '../../domain/event-record.ts'
import type { Realm } from '../../domain/realm.ts'
import { type SpanRow, spanOfRow } from './span-row.ts'

/** A fact's row with its callback `c` and the callback's peer `p`. The callback's own values differ from those of a resolved event. */
export interface EvidenceRow extends SpanRow {
  callback_id: number
  callback_kind: string
  environment: Realm
  listener: ListenerName | null
  callback_authentication: EventAuthentication
  callback_received_at: number
  remote_address: string | null
  target: string | null
  tls_version: string | null
  cipher: string | null
  callback_content_type: string | null
  headers: string
  callback_body: Buffer
  body_removed_at: number | null
  fingerprint: string | null
  serial: string
  peer_subject: string
  issuer: string
  not_after: number
  pem: string
}

/** SQL: the columns that only the evidence needs. */
export const EVIDENCE_COLUMNS = `
  c.kind as callback_kind, c.authentication as callback_authentication, c.received_at as callback_received_at,
  c.content_type as callback_content_type, c.body as callback_body, c.remote_address, c.target, c.tls_version, c.cipher, c.headers,
  coalesce(c.payload_removed_at, c.redacted_at) as body_removed_at,
  p.fingerprint, p.serial, p.subject as peer_subject, p.issuer, p.not_after, p.pem`

export function evidenceOfRow(row: EvidenceRow): Evidence {
  return {
    callbackId: callbackIdOf(row),
    kind: row.callback_kind,
    environment: row.environment,
    listener: row.listener,
    authentication: row.callback_authentication,
    receivedAt: row.callback_received_at,
    remoteAddress: row.remote_address,
    target: row.target,
    tlsVersion: row.tls_version,
    cipher: row.cipher,
    contentType: row.callback_content_type,
    headers: JSON.parse(row.headers) as [string, string][],
    body: row.callback_body,
    bodyRemovedAt: row.body_removed_at,
    span: spanOfRow(row),
    peer:
      row.fingerprint === null
        ? null
        : {
            fingerprint: row.fingerprint,
            serial: row.serial,
            subject: row.peer_subject,
            issuer: row.issuer,
            notAfter: row.not_after,
            pem: row.pem,
          },
  }
}

/** null for an event of the gateway itself: its row in `callbacks` only stores the body. */
export function callbackIdOf({ listener, callback_id }: Pick<EvidenceRow, 'listener' | 'callback_id'>): number | null {
  return listener === null ? null : callback_id
}
