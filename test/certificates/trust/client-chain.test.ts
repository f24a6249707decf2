import { describe, expect, it } from 'vitest'
import { type ClientCertificate, loadClientCertificate } from '../../../src/certificates/live/client-certificate.ts'
import { clientChainOf } from '../../../src/certificates/trust/client-chain.ts'
import { createAuthority } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const now = new Date()
const showing = (cert: string): ClientCertificate => ({ tls: { cert, key: '' }, problem: () => null })
const problemOf = (client: ClientCertificate | null) => {
  try {
    return clientChainOf(client, now)
  } catch (error) {
    return error
  }
}

function hierarchy() {
  const { issue } = createAuthority(temporaryFolder())
  const root = issue({ name: 'root', ca: true })
  const issuing = issue({ name: 'issuing', ca: true, issuer: root })
  return { issue, root, issuing, leaf: issue({ name: 'gateway', issuer: issuing }) }
}

describe.skipIf(!hasOpenssl)('the chain of the client certificate (with openssl)', () => {
  it('is its issuers in order, up to the root', () => {
    const { root, issuing, leaf } = hierarchy()
    expect(clientChainOf(showing(leaf.chain), now)).toBe(issuing.cert + root.cert)
  })

  it('is the certificate itself where that is self-signed', () => {
    const { issue } = createAuthority(temporaryFolder())
    const alone = issue({ name: 'gateway' })
    expect(clientChainOf(showing(alone.cert), now)).toBe(alone.cert)
  })

  it('is none without the root or an intermediate, and says which is missing', () => {
    const { issuing, leaf } = hierarchy()
    expect(problemOf(showing(leaf.cert + issuing.cert))).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^the certificate of "CN=root", which issued "CN=issuing", is not in the file/),
    })
    expect(problemOf(showing(leaf.cert))).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^the certificate of "CN=issuing", which issued "CN=gateway", is not in the file/),
    })
  })
})

it('there is none where none is configured or can be used, and paths are not told', () => {
  expect(problemOf(null)).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('forwarding.clientCertificate'),
  })
  const unusable = loadClientCertificate({ certificate: '/secret/place.crt', privateKey: '/secret/place.key' }, now)
  const problem = problemOf(unusable)
  expect(problem).toMatchObject({ code: 'not_found', message: expect.stringContaining('its log says why') })
  expect(String(problem)).not.toContain('/secret')
})
