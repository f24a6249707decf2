import { daysLeft, expiryStateOf, type InventoryEntry } from '../../domain/expiry.ts'
import { partsOrNull } from '../../domain/realm.ts'
import { iso } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { certificateSchema } from './schema.ts'

/** A certificate of the inventory, or a file that cannot be read. */
export type CertificateView = View<typeof certificateSchema>

export function certificateView(watched: InventoryEntry, now: number, days: number | null): CertificateView {
  const { set, where } = watched
  const owner = partsOrNull(watched.environment)
  const state = expiryStateOf(watched, now, days)
  if ('problem' in watched) {
    const unknown = {
      subject: null,
      issuer: null,
      fingerprint: null,
      notAfter: null,
      daysLeft: null,
      clientUseProblem: null,
    }
    return { set, where, ...owner, ...unknown, state, problem: watched.problem }
  }
  const { subject, issuer, fingerprint, notAfter, clientUseProblem = null } = watched
  const end = { notAfter: iso(notAfter), daysLeft: daysLeft(notAfter, now) }
  return { set, where, ...owner, subject, issuer, fingerprint, ...end, state, clientUseProblem, problem: null }
}
