import { z } from 'zod'
import { CERTIFICATE_SETS, EXPIRY_STATES, WARNING_DAYS } from '../../domain/expiry.ts'
import { limit, wholeNumber } from '../http/query.ts'
import { beginningOf, environment, fingerprint, time } from '../http/schema-parts.ts'

export const certificateSchema = z
  .strictObject({
    set: z
      .enum(CERTIFICATE_SETS)
      .describe(
        'What it is for; service-client: callers, client: what destinations are shown, api-client: what apps showed here',
      ),
    where: z.string().describe('The file, the destination or the listener'),
    environment: environment.nullable(),
    subject: z.string().nullable(),
    issuer: z.string().nullable(),
    fingerprint: fingerprint.nullable(),
    notAfter: time.nullable(),
    daysLeft: z.int().nullable().describe('Whole days; negative when it has expired'),
    state: z.enum(EXPIRY_STATES),
    clientUseProblem: z
      .string()
      .nullable()
      .describe('Why TLS servers refuse it as a client certificate, or will after its next renewal, and what to do'),
    problem: z.string().nullable().describe('Why the file cannot be read; all that it would say is null then'),
  })
  .meta({ id: 'Certificate', description: 'A certificate whose end matters, or a file that cannot be read.' })

export const certificateListSchema = beginningOf('CertificateList', certificateSchema)

/** With fewer days left a certificate is expiring, unless it is asked for otherwise. */
export const EXPIRING_DAYS = WARNING_DAYS[0]

export const certificateQuerySchema = z.strictObject({
  days: wholeNumber('With fewer days left a certificate is expiring.', { min: 1, max: 3650, fallback: EXPIRING_DAYS }),
  limit,
})
