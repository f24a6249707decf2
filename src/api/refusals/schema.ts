import { z } from 'zod'
import { ENVIRONMENTS } from '../../domain/realm.ts'
import { REFUSAL_CODES, REFUSING_LISTENERS } from '../../domain/refusal.ts'
import { cursor, instant, limit, listOf, oneOf, order, text } from '../http/query.ts'
import {
  environment,
  fingerprint,
  institution,
  numbered,
  pageOf,
  subjectIdentifiers,
  time,
} from '../http/schema-parts.ts'

const peerCertificateSchema = z
  .strictObject({
    subject: z.string(),
    issuer: z.string(),
    fingerprint,
    notBefore: time.nullable(),
    notAfter: time.nullable(),
    identifiers: subjectIdentifiers,
  })
  .meta({
    id: 'PeerCertificateRecord',
    description: 'A peer certificate of a refused caller; nothing in it is verified.',
  })

export const refusalSchema = z
  .strictObject({
    id: numbered('rfs'),
    refusedAt: time,
    listener: z.enum(REFUSING_LISTENERS),
    remoteAddress: z.string(),
    code: z.enum(REFUSAL_CODES),
    reason: z.string().describe('The code in words'),
    rawCode: z.string().nullable().describe('Original TLS or HTTP error code, such as HPE_INVALID_METHOD'),
    detail: z.string().nullable().describe('What the caller requested, such as the path; never a token or a query'),
    institution,
    environment: environment.nullable(),
    tlsVersion: z.string().nullable(),
    serverName: z.string().nullable().describe('Server name of the handshake (SNI)'),
    chain: z.array(peerCertificateSchema).describe("The caller's own certificate first"),
    count: z.int().min(1).describe('1; with code left_out the number of unrecorded refusals'),
    probe: z.boolean().describe("The service's test whether callers without a certificate are refused"),
  })
  .meta({ id: 'Refusal', description: 'A refused caller.' })

export const refusalPageSchema = pageOf(
  'RefusalPage',
  refusalSchema,
  z.string().describe('A cursor: pass it as `after`'),
)

export const refusalQuerySchema = z.strictObject({
  after: cursor,
  limit,
  reason: listOf(
    'Only refusals with these codes.',
    z.enum(REFUSAL_CODES, { error: `one of ${REFUSAL_CODES.join(', ')}` }),
  ),
  address: text('Only callers from this address.'),
  listener: oneOf(REFUSING_LISTENERS, 'Only callers of this listener.'),
  institution: text('Only callers known to belong to this institution.'),
  environment: oneOf(ENVIRONMENTS, 'Only callers known to belong to this environment.'),
  from: instant('Only callers refused at or after this time.'),
  to: instant('Only callers refused before this time.'),
  order,
})
