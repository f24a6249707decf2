import { WARNING_DAYS } from '../../domain/expiry.ts'
import type { Operation } from '../http/endpoint.ts'
import { limit, wholeNumber } from '../http/query.ts'
import { certificateListSchema } from './schema.ts'

/** With fewer days left a certificate is expiring, unless it is asked for otherwise. */
export const EXPIRING_DAYS = WARNING_DAYS[0]

export const certificateQuery = {
  days: wholeNumber('With fewer days left a certificate is expiring.', { min: 1, max: 3650, fallback: EXPIRING_DAYS }),
  limit,
}

export const CERTIFICATE_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listCertificates', method: 'get', path: '/v1/certificates' },
    ...{ tag: 'Operations', access: 'scopes', errors: 'problem' },
    summary: 'List certificates by when they end',
    description: 'What cannot be read first, then what ends first: what a page leaves out lasts longer.',
    query: certificateQuery,
    answers: { 200: { description: 'Certificates.', schema: certificateListSchema } },
  },
]
