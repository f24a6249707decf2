import { X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { expect, it } from 'vitest'
import { subjectValues } from '../../src/platform/certificate-subject.ts'

async function certificateOf(name: x509.JsonNameParams): Promise<X509Certificate> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: new x509.Name(name),
    keys,
    signingAlgorithm: algorithm,
  })
  return new X509Certificate(made.toString('pem'))
}

it.each(['utf8String', 'bmpString', 'printableString', 'ia5String'])(
  'a value of a subject is the same text in each string type: %s',
  async (type) => {
    const certificate = await certificateOf([{ O: [{ [type]: 'Banco 1' }] }, { '2.5.4.97': [{ [type]: 'OFBBR-1' }] }])
    expect([subjectValues(certificate, 'O'), subjectValues(certificate, 'organizationIdentifier')]).toEqual([
      ['Banco 1'],
      ['OFBBR-1'],
    ])
    expect(subjectValues(certificate, 'CN')).toEqual([])
  },
)

it('characters outside ASCII are decoded, and all values of an attribute are found', async () => {
  const name = [{ O: [{ utf8String: 'São João' }] }, { O: [{ bmpString: 'Ação' }] }]
  expect(subjectValues(await certificateOf(name), 'O')).toEqual(['São João', 'Ação'])
})

it('bytes that are no certificate have no values', () => {
  for (const raw of ['', '30', '3082', '30800000', '3003300130', '300a30083006a0003084ffffffff'])
    expect(subjectValues({ raw: Buffer.from(raw, 'hex') as X509Certificate['raw'] }, 'O')).toEqual([])
})
