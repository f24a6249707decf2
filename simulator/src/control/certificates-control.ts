import { z } from 'zod'
import { accountOf, type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import type { Site } from '../site.ts'

const certificatesSchema = z.object({
  account: z.string(),
  certificates: z.array(z.object({ sha256: z.string(), refused: z.boolean() })),
})

/** Account certificates that the service refuses, as if they were revoked. */
export function certificatesControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'refuseCertificates',
      method: 'put',
      path: '/accounts/:number/certificates',
      summary: 'Refuse the certificates of an account, as if they were revoked, or accept them again',
      body: z.strictObject({
        refused: z.boolean(),
        sha256: z.string().optional().describe('Fingerprint of one certificate. Left out: all of the account'),
      }),
      answers: {
        200: { description: 'The certificates of the account', schema: certificatesSchema },
        404: { description: 'No account has this number, or it has no such certificate' },
      },
      run({ site, params, body: { refused, sha256 } }) {
        const account = accountOf(site, params)
        const chosen = account.fingerprints.filter((one) => sha256 === undefined || one === sha256)
        if (chosen.length === 0) throw new ControlError(404, 'the account has no certificate with this fingerprint')
        for (const fingerprint of chosen) refusedOf(site).put(fingerprint, refused)
        const certificates = account.fingerprints.map((one) => ({
          sha256: one,
          refused: isCertificateRefused(site, one),
        }))
        return { status: 200, json: { account: account.number, certificates } }
      },
    }),
  ]
}

/** Whether connections that show this certificate are cut. */
export function isCertificateRefused(site: Site, fingerprint: string): boolean {
  return refusedOf(site).get(fingerprint) ?? false
}

function refusedOf(site: Site) {
  return site.collection<boolean>('refused-certificates')
}
