import { z } from 'zod'
import { CERTIFICATE_SETS, EXPIRY_STATES, WARNING_DAYS } from '../../domain/expiry.ts'
import { limit, wholeNumber } from '../http/query.ts'
import { beginningOf, environment, fingerprint, time } from '../http/schema-parts.ts'

export const certificateSchema = z
  .strictObject({
    set: z
      .enum(CERTIFICATE_SETS)
      .describe(
        'Purpose. service-client: callers of the callback listener; client: sent to destinations; api-client: peer certificates of API clients; service.production, service.sandbox: your account at the service',
      ),
    where: z.string().describe('File, destination or listener that uses the certificate'),
    environment: environment.nullable(),
    subject: z.string().nullable(),
    issuer: z.string().nullable(),
    fingerprint: fingerprint.nullable(),
    notAfter: time.nullable(),
    daysLeft: z.int().nullable().describe('Whole days until expiry; negative after it'),
    state: z.enum(EXPIRY_STATES),
    clientUseProblem: z
      .string()
      .nullable()
      .describe(
        'Why TLS servers refuse the certificate as a client certificate, now or after its next renewal, and what to do',
      ),
    problem: z.string().nullable().describe('Why the file cannot be read; all certificate fields are null then'),
  })
  .meta({ id: 'Certificate', description: 'A certificate of the inventory, or a file that cannot be read.' })

export const certificateListSchema = beginningOf('CertificateList', certificateSchema)

/** Default of the query parameter `days`. */
export const EXPIRING_DAYS = WARNING_DAYS[0]

export const certificateQuerySchema = z.strictObject({
  days: wholeNumber('Certificates with fewer days left have the state `expiring`.', {
    min: 1,
    max: 3650,
    fallback: EXPIRING_DAYS,
  }),
  limit,
})
