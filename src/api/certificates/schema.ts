import { z } from 'zod'
import { CERTIFICATE_SETS, EXPIRY_STATES } from '../../domain/expiry.ts'
import { ACTIVATIONS, CALLER_PROBLEMS, CHAIN_CHANGES, CHAIN_ROLES } from '../../domain/trust.ts'
import { limit, optionalNumber } from '../http/query.ts'
import { beginningOf, environment, fingerprint, institution, time } from '../http/schema-parts.ts'

export const certificateSchema = z
  .strictObject({
    set: z
      .enum(CERTIFICATE_SETS)
      .describe(
        'Purpose. service-client: callers of the callback listener; client: sent to destinations; api-client: peer certificates of API clients; service.production, service.sandbox: your account at the service; service-server: servers of the service that calls met since the start',
      ),
    where: z.string().describe('File, destination or listener that uses the certificate'),
    institution,
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

export const certificateQuerySchema = z.strictObject({
  days: optionalNumber(
    'Certificates with fewer days left have the state `expiring`. Without it, the lifetime of each decides.',
    { min: 1, max: 3650 },
  ),
  limit,
})

/** The body of `POST /v1/certificates/trust/diff`. */
export const trustProposalSchema = z
  .strictObject({
    institution: z
      .string()
      .nullable()
      .default(null)
      .describe('Institution of the chain; null: the unnamed one, or the only one'),
    environment: environment.describe('Environment of the chain'),
    pem: z.string().min(1, 'is empty: give the certificates, in PEM form').describe('The chain up to its root, PEM'),
    activation: z
      .enum(ACTIVATIONS, { error: `one of ${ACTIVATIONS.join(', ')}` })
      .default('instead')
      .describe('instead: the chain replaces the active ones; beside: it joins them'),
  })
  .meta({ id: 'TrustProposal', description: 'A chain to compare with the trusted ones.' })

const chainChangeSchema = z
  .strictObject({
    change: z.enum(CHAIN_CHANGES),
    role: z.enum(CHAIN_ROLES).describe('issuing: it issues callers; intermediate: it is above such a certificate'),
    mayCall: z.boolean().describe('It issues callers, and may be a peer certificate itself'),
    subject: z.string(),
    notAfter: time,
    daysLeft: z.int().describe('Whole days until expiry; negative after it'),
    fingerprint,
  })
  .meta({ id: 'ChainChange', description: 'A certificate that would be added, removed or kept.' })

const lockedOutCallerSchema = z
  .strictObject({
    subject: z.string(),
    fingerprint,
    lastSeenAt: time.describe('Rounded down to the hour'),
    problem: z.enum(CALLER_PROBLEMS).describe('Why it would be refused'),
  })
  .meta({ id: 'LockedOutCaller', description: 'A caller that is accepted today and would be refused.' })

export const trustDiffSchema = z
  .strictObject({
    institution,
    environment,
    activation: z.enum(ACTIVATIONS),
    activeChains: z.int().min(0).describe('Number of chains that are trusted today and can be read'),
    changes: z.array(chainChangeSchema).describe('Added certificates first, then removed and kept ones'),
    callersSeen: z.int().min(0).describe('Callers of the last 30 days that are accepted today'),
    callersRefused: z.array(lockedOutCallerSchema),
  })
  .meta({ id: 'TrustDiff', description: 'What would change if a chain were trusted. Nothing is changed.' })
