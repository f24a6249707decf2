import type { z } from 'zod'
import type { InventoryEntry } from '../../domain/expiry.ts'
import { endpoint } from '../http/endpoint.ts'
import { requiredBody } from '../http/json-body.ts'
import type { View } from '../http/schema-parts.ts'
import { certificateListSchema, certificateQuerySchema, trustDiffSchema, trustProposalSchema } from './schema.ts'
import { certificateView } from './view.ts'

export interface CertificateOptions {
  /** Compares a chain with the trusted ones and with the callers of the last 30 days; changes nothing. @throws PortariaError for an unusable chain */
  readonly diffTrust: (
    proposal: z.output<typeof trustProposalSchema>,
  ) => Promise<Omit<View<typeof trustDiffSchema>, 'activation'>>
  /** The certificate inventory: unreadable files first, then certificates in the order in which they expire. */
  readonly listCertificates: () => Promise<readonly InventoryEntry[]>
  /**
   * PEM of the chain that receivers install to trust the gateway's current client certificate.
   * @throws PortariaError `not_found` without a client certificate, with what to do
   */
  readonly clientChain: () => string
}

const common = { tag: 'Operations', access: ['operations.read'], errors: 'problem' } as const

export function certificateEndpoints(
  options: Pick<CertificateOptions, 'listCertificates' | 'diffTrust'> & { readonly now: () => number },
) {
  return {
    listCertificates: listAll(options),
    diffTrust: compareTrust(options),
  }
}

function listAll({
  listCertificates,
  now,
}: Pick<CertificateOptions, 'listCertificates'> & { readonly now: () => number }) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/certificates',
    summary: 'List certificates by expiry',
    description:
      'Unreadable files first, then certificates in the order in which they expire. Certificates beyond `limit` expire later than all listed ones.',
    query: certificateQuerySchema,
    answers: { 200: { description: 'Certificates.', schema: certificateListSchema } },
    async run(call) {
      const { days, limit } = call.query
      const all = await listCertificates()
      const data = all.slice(0, limit).map((entry) => certificateView(entry, now(), days ?? null))
      return { json: { data, more: all.length > limit } }
    },
  })
}

function compareTrust({ diffTrust }: Pick<CertificateOptions, 'diffTrust'>) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/certificates/trust/diff',
    recording: 'off',
    summary: 'Compare a chain with the trusted ones',
    description:
      'Which certificates the chain would add and remove, and which callers of the last 30 days would be refused. Changes nothing.',
    body: requiredBody(trustProposalSchema, {
      what: 'the chain',
      example: { environment: 'production', pem: '-----BEGIN CERTIFICATE-----…' },
    }),
    answers: {
      200: { description: 'The consequences.', schema: trustDiffSchema },
      422: {
        description:
          'The chain cannot be used, contradicts an installed one, or no chain of the environment is configured.',
      },
    },
    async run({ body }) {
      return { json: { activation: body.activation, ...(await diffTrust(body)) } }
    },
  })
}

/**
 * Public: apps whose servers ask for a client certificate install the chain as trusted, as they do with the service's
 * (Document 1, Authentication 4).
 */
export function clientChainEndpoint({ clientChain }: Pick<CertificateOptions, 'clientChain'>) {
  return endpoint({
    method: 'get',
    path: '/certificates/chain.pem',
    access: 'public',
    tag: 'Registrations',
    errors: 'problem',
    summary: "Get the chain of the gateway's client certificate",
    description: "Receivers that require a client certificate install this chain as trusted, like the service's chain.",
    answers: {
      200: { description: 'The chain as PEM.', type: 'application/x-pem-file' },
      404: { description: 'No client certificate is configured.' },
    },
    // Not application/pem-certificate-chain (RFC 8555 section 9.1): that begins with the certificate itself.
    run: () => ({ content: clientChain(), type: 'application/x-pem-file; charset=utf-8' }),
  })
}
