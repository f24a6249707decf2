import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import type { Revocation } from '../../src/domain/trust.ts'
import { createPeerIdentification } from '../../src/receiving/peer-identity.ts'
import { createAuthority } from '../support/authority.ts'
import { NOON } from '../support/builders.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it.skipIf(!hasOpenssl)(
  'a caller that was identified is refused once the revocation list of its chain is out of date',
  () => {
    const { issue } = createAuthority(temporaryFolder())
    const issuer = issue({ name: 'issuer', ca: true })
    const caller = new X509Certificate(issue({ name: 'caller', issuer }).cert)
    const current = { from: NOON, until: NOON + 1000 }
    const revocation: Revocation = { serials: new Set(), isIssuerRevoked: false, current, identity: 'list' }
    const issuing = {
      environment: 'production' as const,
      certificate: new X509Certificate(issuer.cert),
      file: 'production.pem',
      allow: { subjectCommonNames: [], subjectAlternativeNames: [], fingerprints: [] },
      deny: { fingerprints: [], serials: [] },
      mayCall: false,
      verifiesWithoutUsage: null,
      revocation,
    }
    let now = NOON
    const peers = createPeerIdentification({ authorities: [issuer.cert], issuing: [issuing] }, () => now)
    const socket = {
      authorized: true,
      getPeerX509Certificate: () => caller,
      getProtocol: () => 'TLSv1.3',
      getCipher: () => ({ name: 'TLS_AES_128_GCM_SHA256' }),
      remoteAddress: '192.0.2.1',
    } as unknown as TLSSocket
    const identify = () => peers.identify(socket, false)
    expect(identify()).toMatchObject({ caller: { environment: 'production', remoteAddress: '192.0.2.1' } })
    now += 999
    expect(identify()).toMatchObject({ caller: { environment: 'production' } })
    now += 2
    expect(identify()).toEqual({ refusal: { code: 'crl_expired' } })
  },
)
