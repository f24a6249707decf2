import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import forge from 'node-forge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBundle } from '../../../src/certificates/files/bundle.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { readOpen, refusalOf, subjectsOf } from './bundles.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-bundle-'))
const at = (name: string) => join(folder, name)
const LEGACY = ['-provider', 'legacy', '-provider', 'default']
/** Letters that UTF-8 and UTF-16 write differently, and ASCII not at all. */
const PASSWORD = 'maçã€'

afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string | Buffer): string {
  writeFileSync(at(name), content)
  return at(name)
}

describe.skipIf(!hasOpenssl)('a bundle (with openssl)', () => {
  let leaf: IssuedCertificate
  let intermediate: IssuedCertificate
  let root: IssuedCertificate
  let rsa: IssuedCertificate
  let key: string

  beforeAll(() => {
    const { issue } = createAuthority(folder)
    root = issue({ name: 'root', ca: true })
    intermediate = issue({ name: 'intermediate', ca: true, issuer: root })
    leaf = issue({ name: 'leaf', issuer: intermediate })
    rsa = issue({ name: 'rsa', issuer: intermediate, keyType: 'rsa:2048' })
    key = readFileSync(leaf.keyFile, 'utf8')
    openssl(['req', '-new', '-key', leaf.keyFile, '-subj', '/CN=leaf', '-out', at('leaf.csr')])
  })

  const isLeafKey = (pem: string) => createPrivateKey(key).equals(createPrivateKey(pem))

  it('is read from PEM in any order, with comments, bag attributes, Windows line ends and things of no interest between', async () => {
    const attributes = 'Bag Attributes\n    localKeyID: 01 02\nKey Attributes: <No Attributes>\n'
    const parameters = openssl(['ecparam', '-name', 'prime256v1'])
    const text = `\uFEFFroot – raiz:\n${root.cert}\n${attributes}${key}\n${parameters}subject=CN = leaf\n${leaf.cert}${leaf.cert}${intermediate.cert}`
    for (const content of [text, text.replaceAll('\n', '\r\n'), Buffer.from(text, 'utf16le')]) {
      const bundle = await readOpen(write('mixed.pem', content))
      expect([bundle.format, subjectsOf(bundle)]).toEqual(['PEM', ['CN=root', 'CN=leaf', 'CN=intermediate']])
      expect(bundle.keys.map((one) => isLeafKey(one.export({ type: 'pkcs8', format: 'pem' }).toString()))).toEqual([
        true,
      ])
    }
  })

  it('is read from binary certificates, keys and requests', async () => {
    openssl(['x509', '-in', leaf.certFile, '-outform', 'der', '-out', at('leaf.der')])
    openssl(['pkcs8', '-topk8', '-nocrypt', '-in', leaf.keyFile, '-outform', 'der', '-out', at('pkcs8.der')])
    openssl(['ec', '-in', leaf.keyFile, '-outform', 'der', '-out', at('sec1.der')])
    openssl(['req', '-in', at('leaf.csr'), '-outform', 'der', '-out', at('request.der')])
    const read = await Promise.all(
      ['leaf.der', 'pkcs8.der', 'sec1.der', 'request.der'].map((name) => readOpen(at(name))),
    )
    expect(
      read.map(({ format, certificates, keys, requests }) => [
        format,
        certificates.length,
        keys.length,
        requests.length,
      ]),
    ).toEqual([
      ['DER', 1, 0, 0],
      ['DER', 0, 1, 0],
      ['DER', 0, 1, 0],
      ['DER', 0, 0, 1],
    ])
  })

  const PKCS12: [string, string[]][] = [
    ['as OpenSSL makes it today', []],
    ['with triple DES and RC2-40 for the certificates', ['-legacy']],
    ['with RC2-40 for all', ['-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-RC2-40']],
    ['with triple DES for all', ['-legacy', '-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-3DES']],
    ['with AES-128 and SHA-512', ['-certpbe', 'AES-128-CBC', '-keypbe', 'AES-128-CBC', '-macalg', 'sha512']],
    ['with nothing encrypted', ['-certpbe', 'NONE', '-keypbe', 'NONE']],
    ['without a MAC', ['-nomac']],
  ]
  for (const [title, options] of PKCS12) {
    it(`is read from a .p12 ${title}, with a password and with the empty one`, async () => {
      for (const [password, pair] of [
        [PASSWORD, leaf],
        ['', rsa],
      ] as const) {
        const own = ['-inkey', pair.keyFile, '-in', pair.certFile, '-certfile', intermediate.certFile]
        openssl(['pkcs12', '-export', ...own, ...options, '-passout', `pass:${password}`, '-out', at('a.p12')])
        const bundle = await readBundle(at('a.p12'), async () => PASSWORD)
        expect([bundle.format, subjectsOf(bundle)]).toEqual(['PKCS#12', [`CN=${pair.name}`, 'CN=intermediate']])
        expect(bundle.certificates.map(String)).toEqual([pair.cert, intermediate.cert])
        expect(bundle.keys.map((one) => bundle.certificates[0]?.checkPrivateKey(one))).toEqual([true])
        if (password === '') continue
        const wrong = await refusalOf(() => readBundle(at('a.p12'), async () => 'wrong'))
        expect(wrong.message).toBe(`the password does not open ${at('a.p12')}: check it and try again`)
      }
    })
  }

  it('is read from a .p12 whose empty password is none at all', async () => {
    const [key, certificate] = [forge.pki.privateKeyFromPem(readFileSync(rsa.keyFile, 'utf8')), rsa.cert]
    const made = forge.pkcs12.toPkcs12Asn1(key, forge.pki.certificateFromPem(certificate), null)
    write('none.p12', Buffer.from(forge.asn1.toDer(made).getBytes(), 'latin1'))
    expect(subjectsOf(await readOpen(at('none.p12')))).toEqual(['CN=rsa'])
  })

  it('is read from a .p12 with a kind of MAC that is not known: the encryption tells a wrong password', async () => {
    const own = ['-inkey', leaf.keyFile, '-in', leaf.certFile, '-passout', 'pass:right']
    openssl(['pkcs12', '-export', ...own, '-out', at('mac.p12')])
    const bytes = readFileSync(at('mac.p12'))
    const sha256 = Buffer.from('608648016503040201', 'hex')
    bytes[bytes.lastIndexOf(sha256) + sha256.length - 1] = 8
    writeFileSync(at('mac.p12'), bytes)
    expect(subjectsOf(await readBundle(at('mac.p12'), async () => 'right'))).toEqual(['CN=leaf'])
    expect((await refusalOf(() => readBundle(at('mac.p12'), async () => 'wrong'))).message).toMatch(/does not open/)
  })

  it('keeps a certificate with a negative serial number as it is, from PEM and from a .p12', async () => {
    const signed = ['-CA', intermediate.certFile, '-CAkey', intermediate.keyFile, '-set_serial', '-5']
    openssl(['x509', '-req', '-in', at('leaf.csr'), ...signed, '-out', at('negative.crt')])
    const own = ['-inkey', leaf.keyFile, '-in', at('negative.crt'), '-passout', 'pass:']
    openssl(['pkcs12', '-export', '-legacy', ...own, '-out', at('negative.p12')])
    for (const name of ['negative.crt', 'negative.p12']) {
      const { certificates } = await readOpen(at(name))
      expect(certificates.map(({ serialNumber }) => serialNumber)).toEqual(['-05'])
      expect(certificates.map(String)).toEqual([readFileSync(at('negative.crt'), 'utf8')])
    }
  })

  it('opens encrypted keys: PKCS#8 new and old, OpenSSL’s own, binary; and says which ones are out of use', async () => {
    const pass = ['-passout', `pass:${PASSWORD}`]
    const pkcs8 = ['pkcs8', '-topk8', '-in', leaf.keyFile, ...pass]
    openssl([...pkcs8, '-out', at('pbes2.key')])
    openssl([...pkcs8, '-scrypt', '-out', at('scrypt.key')])
    openssl([...pkcs8, '-v1', 'PBE-SHA1-RC2-40', ...LEGACY, '-out', at('rc2.key')])
    openssl([...pkcs8, '-outform', 'der', '-out', at('key.der')])
    openssl([...pkcs8, '-v1', 'PBE-MD5-DES', ...LEGACY, '-out', at('md5.key')])
    openssl(['ec', '-in', leaf.keyFile, '-aes256', ...pass, '-out', at('aes.key')])
    for (const name of ['pbes2.key', 'scrypt.key', 'rc2.key', 'key.der', 'aes.key']) {
      const { keys } = await readBundle(at(name), async () => PASSWORD)
      expect(keys[0]?.equals(createPrivateKey(key)), name).toBe(true)
      const wrong = await refusalOf(() => readBundle(at(name), async () => 'wrong'))
      expect(wrong.message, name).toMatch(/^the password does not open .*: check it and try again$/)
    }
    const old = await refusalOf(() => readBundle(at('md5.key'), async () => PASSWORD))
    expect(old.message).toMatch(/block 1 is encrypted in a way that is out of use: convert it with "openssl pkcs8/)
  })

  it('is refused whole when one part is damaged, and every such part is named', async () => {
    const cutOff = intermediate.cert.slice(0, 300)
    const spoiledKey = key.replace(/\n.{20}/, '\n####################')
    const error = await refusalOf(() => readOpen(write('bad.pem', `${leaf.cert}${spoiledKey}${cutOff}`)))
    expect([error.code, error.message]).toEqual(['certificate_invalid', `2 parts of ${at('bad.pem')} cannot be used`])
    expect(error.details).toEqual([
      `${at('bad.pem')}: block 2 is not a whole private key: copy the whole file again from where it came`,
      `${at('bad.pem')}: block 3 has no END line: copy the whole file again from where it came`,
    ])
  })

  it('that is garbage, cut off, empty or something else is refused with what to do', async () => {
    openssl(['x509', '-in', leaf.certFile, '-outform', 'der', '-out', at('leaf.der')])
    openssl([
      'pkcs12',
      '-export',
      '-inkey',
      leaf.keyFile,
      '-in',
      leaf.certFile,
      '-passout',
      'pass:',
      '-out',
      at('a.p12'),
    ])
    openssl(['crl2pkcs7', '-nocrl', '-certfile', leaf.certFile, '-out', at('a.p7b')])
    openssl(['crl2pkcs7', '-nocrl', '-certfile', leaf.certFile, '-outform', 'der', '-out', at('a.p7c')])
    const cut = (name: string) => readFileSync(at(name)).subarray(0, 250)
    const expected: [string, Buffer | string, RegExp][] = [
      ['empty', '', /is empty: copy the whole file again/],
      [
        'garbage',
        Buffer.from('f00ba4'.repeat(99), 'hex'),
        /holds neither a certificate nor a key: it must be PEM text/,
      ],
      ['text', 'hello\n', /holds neither a certificate nor a key/],
      ['cut.der', cut('leaf.der'), /is binary, but no whole certificate, key, request or PKCS#12 file/],
      ['long.der', Buffer.concat([readFileSync(at('leaf.der')), Buffer.of(0)]), /has bytes behind its certificate/],
      ['cut.p12', cut('a.p12'), /is a PKCS#12 file that cannot be read .*: copy the whole file again/],
      ['p7b', readFileSync(at('a.p7b')), /block 1 is a PKCS#7 file: convert it with "openssl pkcs7 -print_certs/],
      ['p7c', readFileSync(at('a.p7c')), /is a PKCS#7 file: convert it with "openssl pkcs7 -inform der/],
      ['huge', Buffer.alloc(1_048_577), /is longer than 1 MiB/],
    ]
    for (const [name, content, reason] of expected) {
      const error = await refusalOf(() => readOpen(write(name, content)))
      expect([error.code, error.message], name).toEqual(['certificate_invalid', expect.stringMatching(reason)])
    }
    expect((await refusalOf(() => readOpen(at('nowhere')))).message).toMatch(/nowhere does not exist: check the path/)
    expect((await refusalOf(() => readOpen(folder))).message).toMatch(/is a folder: name a file/)
  })
})
