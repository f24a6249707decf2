import { Router } from 'express'
import { daysLeft, type ExpiryState, expiryStateOf, WARNING_DAYS, type Watched } from '../domain/expiry.ts'
import { sendJson } from './event-routes.ts'
import { iso } from './event-text.ts'
import { QueryReader } from './query.ts'

export interface CertificateRoutesOptions {
  /** Every certificate whose end matters, the soonest first. */
  readonly listCertificates: () => Promise<readonly Watched[]>
  readonly now: () => number
}

/** With fewer days left a certificate is expiring, unless it is asked for otherwise. */
export const EXPIRING_DAYS = WARNING_DAYS[0]
const MAX_DAYS = 3650

/** `GET /v1/certificates`, the soonest to expire first: what a page leaves out lasts longer than all that is in it. */
export function certificateRoutes({ listCertificates, now }: CertificateRoutesOptions): Router {
  const router = Router()
  router.get('/v1/certificates', async function showCertificates(request, response) {
    const query = new QueryReader(request.url, ['days', 'limit'])
    const limit = query.limit()
    const days = daysOf(query)
    query.done()
    const all = await listCertificates()
    const data = all.slice(0, limit).map((watched) => certificateView(watched, now(), days))
    sendJson(response, JSON.stringify({ data, more: all.length > limit }))
  })
  return router
}

function daysOf(query: QueryReader): number {
  const text = query.text('days')
  if (text === undefined) return EXPIRING_DAYS
  const days = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (days < 1 || days > MAX_DAYS) query.reject(`days: a whole number from 1 to ${MAX_DAYS}`)
  return days
}

/** What is told of a certificate, or of a file whose certificates cannot be read. */
export interface CertificateView {
  readonly set: string
  readonly where: string
  readonly environment: string | null
  readonly subject: string | null
  readonly issuer: string | null
  readonly fingerprint: string | null
  readonly notAfter: string | null
  readonly daysLeft: number | null
  readonly state: ExpiryState
  readonly problem: string | null
}

export function certificateView(watched: Watched, now: number, days: number): CertificateView {
  const { set, where, environment } = watched
  const state = expiryStateOf(watched, now, days)
  if ('problem' in watched) {
    const unknown = { subject: null, issuer: null, fingerprint: null, notAfter: null, daysLeft: null }
    return { set, where, environment, ...unknown, state, problem: watched.problem }
  }
  const { subject, issuer, fingerprint, notAfter } = watched
  const end = { notAfter: iso(notAfter), daysLeft: daysLeft(notAfter, now) }
  return { set, where, environment, subject, issuer, fingerprint, ...end, state, problem: null }
}
