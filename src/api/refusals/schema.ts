import { z } from 'zod'
import { ENVIRONMENTS } from '../../domain/event.ts'
import { REFUSAL_CODES, REFUSING_LISTENERS } from '../../domain/refusal.ts'
import { cursor, instant, limit, listOf, oneOf, text } from '../http/query.ts'
import { environment, fingerprint, numbered, pageOf, time } from '../http/schema-parts.ts'

const offeredCertificateSchema = z
  .strictObject({
    subject: z.string(),
    issuer: z.string(),
    fingerprint,
    notBefore: time.nullable(),
    notAfter: time.nullable(),
  })
  .meta({
    id: 'PeerCertificateRecord',
    description: 'A certificate that a refused caller showed: nothing of it is verified.',
  })

export const refusalSchema = z
  .strictObject({
    id: numbered('rfs'),
    refusedAt: time,
    listener: z.enum(REFUSING_LISTENERS),
    remoteAddress: z.string(),
    code: z.enum(REFUSAL_CODES),
    reason: z.string().describe('The code in words'),
    rawCode: z.string().nullable().describe('As TLS or HTTP name it, such as HPE_INVALID_METHOD'),
    detail: z.string().nullable().describe('What it asked for, such as the path; never a token or a query'),
    environment: environment.nullable(),
    tlsVersion: z.string().nullable(),
    serverName: z.string().nullable().describe('The name that it asked for in the handshake (SNI)'),
    chain: z.array(offeredCertificateSchema).describe('Its own certificate first'),
    count: z.int().min(1).describe('1, or with code left_out how many were not recorded'),
    probe: z.boolean().describe('It was the service, trying whether it is refused without a certificate'),
  })
  .meta({ id: 'Refusal', description: 'A caller turned away.' })

export const refusalPageSchema = pageOf('RefusalPage', refusalSchema, z.string().describe('A cursor: pass it as after'))

export const refusalQuerySchema = z.strictObject({
  after: cursor,
  limit,
  reason: listOf(
    'Only refusals with these codes.',
    z.enum(REFUSAL_CODES, { error: `one of ${REFUSAL_CODES.join(', ')}` }),
  ),
  address: text('Only callers from this address.'),
  listener: oneOf(REFUSING_LISTENERS, 'Only callers of this listener.'),
  environment: oneOf(ENVIRONMENTS, 'Only callers that are known to be of this environment.'),
  refusedFrom: instant('Only callers refused then or later.'),
  refusedTo: instant('Only callers refused before.'),
})
