import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RevocationList, readRevocationLists } from '../../../src/certificates/trust/revocation-list.ts'
import { canonicalSerial } from '../../../src/domain/trust.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { derOf, type ListOptions, makeRevocationList } from '../../support/revocation-lists.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-revocation-lists-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(content: string | Buffer): string {
  const file = join(folder, `file-${++files}.crl`)
  writeFileSync(file, content)
  return file
}

function problemOf(content: string | Buffer): string {
  try {
    readRevocationLists(fileOf(content))
  } catch (error) {
    if (error instanceof PortariaError) return [error.message, ...error.details].join('\n')
    throw error
  }
  return 'none'
}

describe.skipIf(!hasOpenssl)('revocation lists made by openssl', () => {
  const { issue } = createAuthority(join(folder, 'authority'))
  let ca: IssuedCertificate
  let other: IssuedCertificate
  beforeAll(() => {
    ca = issue({ name: 'ca', ca: true, subject: '/O=Authority/CN=Issuing CA' })
    other = issue({ name: 'other', ca: true })
  })

  const make = (options: Partial<ListOptions> = {}) => makeRevocationList(folder, { issuer: ca, ...options })
  const isSigned = (list: RevocationList | undefined, by: IssuedCertificate) =>
    list?.isSignedBy(new X509Certificate(by.cert))
  function only(content: string | Buffer): RevocationList {
    const [list, ...others] = readRevocationLists(fileOf(content))
    if (list === undefined || others.length > 0) throw new Error('not one list')
    return list
  }

  it('in PEM and DER say who signed them, until when, and which serial numbers are revoked', () => {
    const [thisUpdate, nextUpdate] = [new Date('2026-01-02T03:04:05Z'), new Date('2051-06-07T08:09:10Z')]
    const pem = make({ revoked: ['00AB', '7F00000000000000000000000000000000000001', 'FF00'], thisUpdate, nextUpdate })
    for (const content of [pem, derOf(pem), `with text\r\n${pem.replaceAll('\n', '\r\n')}`]) {
      const list = only(content)
      expect([list.issuer, list.thisUpdate, list.nextUpdate]).toEqual([
        'Authority, Issuing CA',
        thisUpdate.getTime(),
        nextUpdate.getTime(),
      ])
      expect([...list.serials].sort()).toEqual(['7f00000000000000000000000000000000000001', 'ab', 'ff00'])
      expect([isSigned(list, ca), isSigned(list, other)]).toEqual([true, false])
    }
  })

  it('are read all, where a file holds several', () => {
    const lists = readRevocationLists(fileOf(make({ revoked: ['01'] }) + make({ issuer: other, revoked: ['02'] })))
    expect(lists.map(({ serials }) => [...serials])).toEqual([['1'], ['2']])
  })

  it('without a single revoked certificate revoke nothing', () => {
    expect(only(make()).serials.size).toBe(0)
  })

  it.each(['ec:P-384', 'rsa:2048', 'ed25519', 'rsa-pss:2048'])('are verified with a key of type %s', (keyType) => {
    const signer = issue({ name: `ca-${++files}`, ca: true, keyType })
    const twin = issue({ name: `ca-${++files}`, ca: true, keyType, subject: `/CN=${signer.name}` })
    const digest = keyType === 'ed25519' ? 'null' : 'sha256'
    const list = only(make({ issuer: signer, digest, revoked: ['05'] }))
    expect([isSigned(list, signer), isSigned(list, twin)]).toEqual([true, false])
  })

  it('are of a certificate that writes the name in another case or another type of string', () => {
    const renamed = issue({ name: 'renamed', ca: true, sameKeyAs: ca, subject: '/O=AUTHORITY/CN=issuing  ca' })
    const another = issue({ name: 'another', ca: true, sameKeyAs: ca, subject: '/O=Authority/CN=Issuing CA 2' })
    const list = only(make())
    expect([isSigned(list, renamed), isSigned(list, another)]).toEqual([true, false])
  })

  it('are of no certificate that may not sign lists', () => {
    const extensions = ['basicConstraints = critical,CA:TRUE', 'keyUsage = critical,keyCertSign']
    const limited = issue({ name: 'limited', sameKeyAs: ca, subject: '/O=Authority/CN=Issuing CA', extensions })
    expect(isSigned(only(make()), limited)).toBe(false)
  })

  it('may name negative serial numbers, as certificates may have them', () => {
    const der = derOf(make({ revoked: ['7F01'] }))
    der.writeUInt8(0xff, der.indexOf(Buffer.from('02027F01', 'hex')) + 2)
    const negative = openssl(['req', '-x509', '-new', '-key', ca.keyFile, '-subj', '/CN=x', '-set_serial', '-255'])
    expect([...only(der).serials]).toEqual([canonicalSerial(new X509Certificate(negative).serialNumber)])
  })

  it('are forged when a byte was changed', () => {
    const der = derOf(make({ revoked: ['0A0B0C'] }))
    const at = der.indexOf(Buffer.from('0A0B0C', 'hex'))
    der.writeUInt8(0x0d, at + 2)
    const list = only(der)
    expect([...list.serials]).toEqual(['a0b0d'])
    expect(isSigned(list, ca)).toBe(false)
  })

  it.each<[what: RegExp, options: Partial<ListOptions>]>([
    [/is a delta list.*get the complete list/, { extensions: ['2.5.29.27 = critical,DER:020101'] }],
    [/is an indirect list/, { extensions: ['2.5.29.28 = critical,DER:30038401FF'] }],
    [/some reasons of revocation only/, { extensions: ['2.5.29.28 = critical,DER:300483020640'] }],
    [/attribute certificates only/, { extensions: ['2.5.29.28 = critical,DER:30038501FF'] }],
    [
      /critical extension that is not known here \(1\.3\.6\.1\.4\.1\.55555\.1\)/,
      { extensions: ['1.3.6.1.4.1.55555.1 = critical,DER:0500'] },
    ],
    [/too weak or not known/, { digest: 'sha1' }],
  ])('are refused where they say less or more than is understood: %s', (what, options) => {
    expect(problemOf(make(options))).toMatch(what)
  })

  it('are taken with an extension that is not critical, or for one part of the certificates', () => {
    const extensions = ['1.3.6.1.4.1.55555.1 = DER:0500', '2.5.29.28 = critical,DER:30038101FF']
    expect(isSigned(only(make({ extensions })), ca)).toBe(true)
  })

  it('are refused when they are cut off, empty, or something else', () => {
    const pem = make({ revoked: ['01'] })
    const der = derOf(pem)
    const cuts = Array.from({ length: der.length - 1 }, (_, length) => der.subarray(0, length + 1))
    expect(cuts.map(problemOf).filter((problem) => problem === 'none')).toEqual([])
    expect(problemOf(Buffer.concat([der, Buffer.of(0)]))).toMatch(/is damaged or none at all/)
    expect(problemOf(pem.slice(0, 100))).toMatch(/has no END line/)
    expect(problemOf(ca.cert)).toMatch(/contains no revocation list/)
    expect(problemOf(new X509Certificate(ca.cert).raw)).toMatch(/is damaged or none at all/)
    expect(problemOf('')).toMatch(/contains no revocation list/)
    expect(problemOf(Buffer.alloc(8 * 1024 * 1024 + 1, 0x30))).toMatch(/longer than 8192 KiB/)
  })
})
