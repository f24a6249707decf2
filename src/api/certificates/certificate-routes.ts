import { Router } from 'express'
import { daysLeft, expiryStateOf, type InventoryEntry } from '../../domain/expiry.ts'
import { iso } from '../../platform/time.ts'
import { sendJson } from '../http/answer.ts'
import { readQuery } from '../http/query.ts'
import type { View } from '../http/schema-parts.ts'
import { certificateQuery } from './certificate-operations.ts'
import type { certificateSchema } from './schema.ts'

export interface CertificateRoutesOptions {
  /** Every certificate whose end matters, the soonest first. */
  readonly listCertificates: () => Promise<readonly InventoryEntry[]>
  readonly now: () => number
}

/** `GET /v1/certificates`, the soonest to expire first: what a page leaves out lasts longer than all that is in it. */
export function certificateRoutes({ listCertificates, now }: CertificateRoutesOptions): Router {
  const router = Router()
  router.get('/v1/certificates', async function showCertificates(request, response) {
    const { days, limit } = readQuery(request.url, certificateQuery)
    const all = await listCertificates()
    const data = all.slice(0, limit).map((watched) => certificateView(watched, now(), days))
    sendJson(response, JSON.stringify({ data, more: all.length > limit }))
  })
  return router
}

/** What is told of a certificate, or of a file whose certificates cannot be read. */
export type CertificateView = View<typeof certificateSchema>

export function certificateView(watched: InventoryEntry, now: number, days: number): CertificateView {
  const { set, where, environment } = watched
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
    return { set, where, environment, ...unknown, state, problem: watched.problem }
  }
  const { subject, issuer, fingerprint, notAfter, clientUseProblem = null } = watched
  const end = { notAfter: iso(notAfter), daysLeft: daysLeft(notAfter, now) }
  return { set, where, environment, subject, issuer, fingerprint, ...end, state, clientUseProblem, problem: null }
}
