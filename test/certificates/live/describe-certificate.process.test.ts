import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderChain, publicRootOf } from '../../../src/certificates/files/chain-order.ts'
import { daysInWords } from '../../../src/certificates/live/certificate-format.ts'
import { describeCertificate, usesOf } from '../../../src/certificates/live/describe-certificate.ts'
import { describeChain } from '../../../src/certificates/live/describe-chain.ts'
import { createAuthority, type IssuedCertificate, type IssueOptions } from '../../support/authority.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-describe-'))
const DAY_MS = 86_400_000

afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!hasOpenssl)('a certificate in words (with openssl)', () => {
  let issue: (options: IssueOptions) => IssuedCertificate
  let root: IssuedCertificate
  let intermediate: IssuedCertificate
  let leaf: IssuedCertificate

  beforeAll(() => {
    issue = createAuthority(folder).issue
    root = issue({ name: 'root', ca: true, keyType: 'rsa:2048' })
    intermediate = issue({ name: 'intermediate', ca: true, issuer: root })
    leaf = issue({ name: 'leaf', issuer: intermediate })
  })

  const parse = ({ cert }: IssuedCertificate) => new X509Certificate(cert)

  it('says all of it', () => {
    const notBefore = new Date('2026-01-01T00:00:00Z')
    const notAfter = new Date('2026-02-01T00:00:00Z')
    const issued = issue({
      name: 'all',
      subject: '/O=Loja/CN=callbacks.example.com',
      issuer: root,
      serial: '0A0B',
      notBefore,
      notAfter,
      extensions: [
        'keyUsage=critical,digitalSignature',
        'extendedKeyUsage=serverAuth,clientAuth',
        'subjectAltName=DNS:callbacks.example.com,DNS:*.example.org,IP:192.0.2.7,IP:::1,email:ops@example.com',
      ],
    })
    const fingerprint = openssl(['x509', '-in', issued.certFile, '-noout', '-fingerprint', '-sha256'])
    const fingerprint1 = openssl(['x509', '-in', issued.certFile, '-noout', '-fingerprint', '-sha1'])
    expect(describeCertificate(parse(issued), new Date('2026-01-29T12:00:00Z'))).toEqual({
      subjectName: 'O=Loja, CN=callbacks.example.com',
      issuerName: 'CN=root',
      names: ['callbacks.example.com', '*.example.org', '192.0.2.7', '::1', 'ops@example.com'],
      notBefore,
      notAfter,
      state: 'valid',
      daysLeft: 2,
      usableAs: ['server', 'client'],
      isSelfSigned: false,
      keyType: 'EC P-256',
      signatureAlgorithm: 'RSA with SHA-256',
      serialNumber: '0A0B',
      fingerprint256: fingerprint.trim().split('=')[1],
      fingerprint: fingerprint1.trim().split('=')[1],
    })
  })

  it('knows a self-signed one that may issue none, and only that', () => {
    const extensions = ['basicConstraints=critical,CA:FALSE', 'keyUsage=critical,digitalSignature']
    const self = issue({ name: 'self', extensions })
    const namesake = issue({ name: 'namesake', subject: '/CN=root', issuer: root, extensions })
    const [own, other] = [parse(self), parse(namesake)]
    const now = new Date()
    expect([own, other].map((one) => describeCertificate(one, now).isSelfSigned)).toEqual([true, false])
    expect(describeChain([own], now)).toEqual({
      isInOrder: true,
      isComplete: true,
      text: 'in order; complete, up to its root',
    })
    expect(orderChain(own, [own], now)).toEqual({ chain: [own], root: own, withoutIssuer: null, others: [] })
    expect(orderChain(other, [parse(root)], now)).toMatchObject({ chain: [other], root: { subject: 'CN=root' } })
  })

  it('counts whole days, negative ones once it has expired', () => {
    const certificate = parse(leaf)
    const at = (days: number) =>
      describeCertificate(certificate, new Date(certificate.validToDate.getTime() - days * DAY_MS))
    const seen = [40, 30, 1.5, 0.5, -0.5, -3].map((days) => [at(days).daysLeft, at(days).state])
    expect(seen).toEqual([
      [40, 'not yet valid'],
      [30, 'valid'],
      [1, 'valid'],
      [0, 'valid'],
      [-1, 'expired'],
      [-3, 'expired'],
    ])
    const words = ['in 30 days', 'in 1 day', 'within 24 hours', '1 day ago', '2 days ago']
    expect([30, 1, 0, -1, -2].map(daysInWords)).toEqual(words)
  })

  it('a name with a comma in it cannot pass for two', () => {
    const sections = '[names]\nURI.1=http://a.example/, DNS:bank.example\nDNS.1=own.example\n'
    const issued = issue({ name: 'comma', extensions: ['subjectAltName=@names'], sections })
    const { names } = describeCertificate(parse(issued), new Date())
    expect(names.toSorted()).toEqual(['http://a.example/, DNS:bank.example', 'own.example'])
  })

  it('is usable as extended key usage, key usage and CA:TRUE allow, as openssl sees it', () => {
    const cases: [string[], string[]][] = [
      [[], ['server', 'client']],
      [['basicConstraints=CA:TRUE'], ['server', 'client', 'authority']],
      [['basicConstraints=CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'], ['authority']],
      [['basicConstraints=CA:TRUE', 'keyUsage=cRLSign'], []],
      [['keyUsage=keyEncipherment'], ['server']],
      [['keyUsage=critical,digitalSignature', 'extendedKeyUsage=clientAuth'], ['client']],
      [['extendedKeyUsage=serverAuth'], ['server']],
      [['extendedKeyUsage=anyExtendedKeyUsage'], ['server', 'client']],
      [['extendedKeyUsage=codeSigning'], []],
    ]
    for (const [index, [extensions, uses]] of cases.entries()) {
      const { cert, certFile } = issue({ name: `use${index}`, extensions })
      expect(usesOf(new X509Certificate(cert)), String(extensions)).toEqual(uses)
      const purposes = openssl(['x509', '-in', certFile, '-noout', '-purpose'])
      // OpenSSL lets "any extended key usage" pass in TLS, but not here.
      if (String(extensions).includes('anyExtended')) continue
      expect(/SSL server : Yes/.test(purposes), String(extensions)).toBe(uses.includes('server'))
      expect(/SSL client : Yes/.test(purposes), String(extensions)).toBe(uses.includes('client'))
    }
  })

  it('names keys and signatures of every kind', () => {
    const kinds = ['ec:P-384', 'rsa:3072', 'ed25519', 'rsa-pss:2048'].map((keyType, index) => {
      const { keyType: key, signatureAlgorithm } = describeCertificate(
        parse(issue({ name: `kind${index}`, keyType })),
        new Date(),
      )
      return [key, signatureAlgorithm]
    })
    expect(kinds).toEqual([
      ['EC P-384', 'ECDSA with SHA-256'],
      ['RSA 3072 bits', 'RSA with SHA-256'],
      ['Ed25519', 'ED25519'],
      ['RSA-PSS 2048 bits', 'rsassaPss'],
    ])
  })

  it('a chain is in order and complete, or what is wrong is named', () => {
    const [one, two, three] = [leaf, intermediate, root].map(parse) as [
      X509Certificate,
      X509Certificate,
      X509Certificate,
    ]
    const untrusted = parse(issue({ name: 'untrusted', ca: true }))
    const now = new Date()
    expect(describeChain([], now)).toBeNull()
    expect(describeChain([one, two, three], now)).toEqual({
      isInOrder: true,
      isComplete: true,
      text: 'in order; complete, up to its root',
    })
    expect(describeChain([three, one, two], now)).toEqual({
      isInOrder: false,
      isComplete: true,
      text: 'in the wrong order: "CN=leaf", then "CN=intermediate", then "CN=root"; complete, up to its root',
    })
    expect(describeChain([one], now)).toEqual({
      isInOrder: true,
      isComplete: false,
      text: 'in order; the issuer of "CN=leaf", "CN=intermediate", is missing, unless it is a root that callers have',
    })
    expect(describeChain([one, untrusted], now)).toEqual({
      isInOrder: null,
      isComplete: null,
      text: 'not one chain: it holds 2, of "CN=leaf", "CN=untrusted"',
    })
  })

  it('a public root is known by its signature, not by its name', () => {
    const roots = rootCertificates.map((pem) => new X509Certificate(pem))
    const found = roots.filter((root) => publicRootOf(root)?.raw.equals(root.raw))
    expect(found.length).toBeGreaterThan(50)
    expect(publicRootOf(new X509Certificate(readFileSync(leaf.certFile)))).toBeNull()
  })
})
