import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Certificate, CertificateRevocationList } from 'pkijs'
import { describe, expect, it } from 'vitest'
import { makeDevelopmentCertificates } from '../../src/certificates/development/development.ts'
import { extensionsOfCertificate, subjectNameOf } from '../../src/certificates/files/der.ts'
import { readRevocationLists } from '../../src/certificates/trust/revocation-list.ts'
import { canonicalSerial } from '../../src/domain/trust.ts'
import { createAuthority } from '../support/authority.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { derOf, makeRevocationList } from '../support/revocation-lists.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** What the certificate says, by our reading and by that of pkijs. */
function readings(pem: string) {
  const certificate = new X509Certificate(pem)
  const witness = Certificate.fromBER(certificate.raw)
  return {
    ours: {
      subject: hex(subjectNameOf(certificate)?.raw ?? Buffer.of()),
      extensions: extensionsOfCertificate(certificate).map((one) => ({ ...one, value: hex(one.value) })),
    },
    witnessed: {
      subject: hex(new Uint8Array(witness.subject.toSchema().toBER())),
      extensions: (witness.extensions ?? []).map(({ extnID, critical, extnValue }) => ({
        oid: extnID,
        isCritical: critical,
        value: hex(extnValue.valueBlock.valueHexView),
      })),
    },
  }
}

it('certificates of development have the subject and the extensions that pkijs reads', async () => {
  const folder = temporaryFolder()
  await makeDevelopmentCertificates(folder)
  const files = readdirSync(folder).filter((name) => name.endsWith('.crt'))
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    const { ours, witnessed } = readings(readFileSync(join(folder, file), 'utf8'))
    expect(ours).toEqual(witnessed)
  }
})

describe.skipIf(!hasOpenssl)('with openssl', () => {
  it.each<[what: string, extensions: string[]]>([
    ['no extension', []],
    ['a long one', [`1.3.6.1.4.1.55555.1 = critical,DER:04820200${'ab'.repeat(512)}`]],
    ['object ids with large arcs', ['2.999.4294967295.1 = DER:0500', '1.3.6.1.4.1.128.16384 = critical,DER:0500']],
    ['those of a CA', ['basicConstraints = critical,CA:TRUE,pathlen:0', 'keyUsage = critical,keyCertSign,cRLSign']],
  ])('a certificate with %s has the subject and the extensions that pkijs reads', (_, extensions) => {
    const { issue } = createAuthority(temporaryFolder())
    const { ours, witnessed } = readings(issue({ name: 'one', subject: '/O=Cia/CN=ação 1', extensions }).cert)
    expect(ours).toEqual(witnessed)
  })

  it('a revocation list has the times, the serial numbers and the signature that pkijs reads', async () => {
    const folder = temporaryFolder()
    const { issue } = createAuthority(folder)
    const [issuer, other] = [issue({ name: 'ca', ca: true }), issue({ name: 'other', ca: true })]
    const nextUpdate = new Date('2051-06-07T08:09:10Z')
    const der = derOf(makeRevocationList(folder, { issuer, revoked: ['00AB', '7F01', 'FF00'], nextUpdate }))
    const file = join(folder, 'list.crl')
    writeFileSync(file, der)
    const [list] = readRevocationLists(file)
    const witness = CertificateRevocationList.fromBER(der)
    const serials = witness.revokedCertificates?.map(({ userCertificate }) =>
      canonicalSerial(hex(userCertificate.valueBlock.valueHexView)),
    )
    expect(serials).toHaveLength(3)
    expect([[...(list?.serials ?? [])], list?.thisUpdate, list?.nextUpdate]).toEqual([
      serials,
      witness.thisUpdate.value.getTime(),
      witness.nextUpdate?.value.getTime(),
    ])
    for (const [{ cert }, isSigned] of [
      [issuer, true],
      [other, false],
    ] as const) {
      const issuerCertificate = Certificate.fromBER(new X509Certificate(cert).raw)
      const said = [list?.isSignedBy(new X509Certificate(cert)), await witness.verify({ issuerCertificate })]
      expect(said).toEqual([isSigned, isSigned])
    }
  })
})
