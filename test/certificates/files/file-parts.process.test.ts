import { execFileSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDevelopmentCertificates } from '../../../src/certificates/development/development.ts'
import { readBundle } from '../../../src/certificates/files/bundle.ts'
import { partsOf } from '../../../src/certificates/files/file-parts.ts'
import { readCertificates } from '../../../src/certificates/files/pem.ts'
import { readPrivateKey } from '../../../src/certificates/files/private-key.ts'
import { loadServerCertificate } from '../../../src/certificates/live/server-certificate.ts'
import { loadServiceFiles } from '../../../src/certificates/live/service-files.ts'
import { loadTrust } from '../../../src/certificates/trust/trust.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { pkcs12Of, readOpen, refusalOf } from './bundles.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-parts-'))
const at = (name: string) => join(folder, name)
let chain: string
let certificate: string
let key: string

beforeAll(async () => {
  await makeDevelopmentCertificates(folder)
  chain = readFileSync(at('trust/production.pem'), 'utf8')
  certificate = readFileSync(at('server.crt'), 'utf8')
  key = readFileSync(at('server.key'), 'utf8')
})

afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string | Buffer): string {
  writeFileSync(at(name), content)
  return at(name)
}

const utf16be = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
const base64Of = (content: string | Buffer) => Buffer.from(content).toString('base64')
const lines = (text: string) => text.replaceAll(/(.{76})/g, '$1\n')

/** The same content, as people and programs save it. */
const FORMS: [string, (pem: string) => string | Buffer][] = [
  ['with Windows line ends', (pem) => pem.replaceAll('\n', '\r\n')],
  ['with the line ends of old Macs', (pem) => pem.replaceAll('\n', '\r')],
  ['on one line with \\n as two characters', (pem) => pem.replaceAll('\n', '\\n')],
  ['on one line with \\r\\n as four characters', (pem) => pem.replaceAll('\n', '\\r\\n')],
  ['on one line with \\\\n, escaped twice', (pem) => pem.replaceAll('\n', '\\\\n')],
  ['on one line with spaces', (pem) => pem.replaceAll('\n', ' ')],
  ['on one line with tabs', (pem) => pem.replaceAll('\n', '\t')],
  ['on one line with nothing between', (pem) => pem.replaceAll('\n', '')],
  ['with empty lines between', (pem) => pem.replaceAll('\n', '\n\n')],
  ['indented, as in a block of YAML', (pem) => `pem: |\n${pem.replaceAll(/^/gm, '    ')}`],
  ['indented with tabs and with spaces at the ends', (pem) => pem.replaceAll(/^/gm, '\t').replaceAll('\n', '  \n')],
  ['on one line with \\u000a, as JSON escapes it', (pem) => pem.replaceAll('\n', '\\u000A')],
  ['in quotes', (pem) => `"${pem.trim()}"\n`],
  ['as the value of a variable', (pem) => `export CERT='${pem}'\n`],
  ['as a JSON string with escaped slashes', (pem) => `{"pem":${JSON.stringify(pem).replaceAll('/', '\\/')}}`],
  ['with comments and text around', (pem) => `# -----BEGIN of the file\nsubject: someone\n${pem}\nthe end`],
  ['with non-breaking spaces', (pem) => pem.replaceAll('\n', '\u00a0\n')],
  ['with characters without width', (pem) => pem.replaceAll('\n', '\u200b\n')],
  ['with a byte order mark', (pem) => `\uFEFF${pem}`],
  ['in UTF-16 with its mark', (pem) => Buffer.from(`\uFEFF${pem}`, 'utf16le')],
  ['in UTF-16 without a mark', (pem) => Buffer.from(pem, 'utf16le')],
  ['in UTF-16 of the other order', utf16be],
  ['in base64 once more', (pem) => lines(base64Of(pem))],
]

describe.each(FORMS)('a file %s is read', (_, form) => {
  it('as a chain of the service, a listener’s certificate and key, and by import', async () => {
    const file = write('chain.pem', form(chain))
    const expected = readCertificates(at('trust/production.pem'), 'callbacks.trust').map(String)
    const { trust } = loadTrust([{ environment: 'production', chain: file }], new Date())
    expect(trust.authorities).toEqual(expected)
    const pair = { certificate: write('server.form', form(certificate)), privateKey: write('key.form', form(key)) }
    const loaded = loadServerCertificate(pair, new Date())
    expect(new X509Certificate(loaded.cert).checkPrivateKey(createPrivateKey(loaded.key))).toBe(true)
    const { certificates, keys } = await readOpen(pair.certificate)
    expect([certificates.length > 0, keys.length]).toEqual([true, 0])
    expect((await readOpen(pair.privateKey)).keys.map((one) => one.equals(createPrivateKey(key)))).toEqual([true])
  })
})

it('two files that were joined without a line end between are both read', async () => {
  const file = write('joined.pem', certificate.trim() + key)
  const { certificates, keys } = await readOpen(file)
  expect([certificates.length > 0, keys.length]).toEqual([true, 1])
  expect(loadServerCertificate({ certificate: file, privateKey: file }, new Date()).cert).toContain('BEGIN CERT')
})

it('binary certificates and keys are read, and base64 of them without any line', async () => {
  const { raw } = new X509Certificate(certificate)
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
  for (const [one, other] of [
    [raw, der],
    [lines(base64Of(raw)), base64Of(der)],
  ] as const) {
    expect(readCertificates(write('one.crt', one), 'callbacks.certificate').map((read) => read.raw)).toEqual([raw])
    expect(readPrivateKey(write('one.key', other), 'callbacks.privateKey').equals(createPrivateKey(key))).toBe(true)
  }
})

it('a .p12 in base64 is read by import, and as the certificate of the service', async () => {
  const p12 = await pkcs12Of(certificate, key)
  const password = write('password.txt', '\uFEFFsecret\r\n')
  for (const [index, content] of [
    lines(base64Of(p12)),
    `data:application/x-pkcs12;base64,${base64Of(p12)}`,
    JSON.stringify(base64Of(p12)),
  ].entries()) {
    const file = write(`base64-${index}.p12`, content)
    expect((await readBundle(file, async () => 'secret')).keys).toHaveLength(1)
    const files = { environment: 'sandbox', certificate: { pkcs12: file, passwordFile: password }, authorities: null }
    expect(loadServiceFiles(files as Parameters<typeof loadServiceFiles>[0]).certificate?.tls).not.toBeNull()
  }
})

it('a .p12 in base64 for URLs, or between the lines of PEM, is one', async () => {
  const p12 = await pkcs12Of(certificate, key)
  for (const content of [
    p12.toString('base64url'),
    `-----BEGIN PKCS12-----\n${lines(base64Of(p12))}\n-----END PKCS12-----\n`,
  ])
    expect(partsOf(Buffer.from(content), 'a.p12')).toMatchObject([{ type: 'PKCS#12', der: p12, problem: null }])
})

it.each(['\uFEFFsecret\r\n', 'secret\r', 'secret\n', Buffer.from('\uFEFFsecret\r\n', 'utf16le')])(
  'a password file is read without byte order mark and line end: %j',
  async (content) => {
    const pkcs12 = write('p.p12', await pkcs12Of(certificate, key))
    const files = { pkcs12, passwordFile: write('p.txt', content) }
    const { certificate: loaded } = loadServiceFiles({ environment: 'sandbox', certificate: files, authorities: null })
    expect(loaded?.problem(Date.now())).toBeNull()
  },
)

describe('what cannot be read is named with what mends it', () => {
  const CERTIFICATE: [string, () => string | Buffer, RegExp][] = [
    [
      'a web page',
      () => '<!DOCTYPE html>\n<html><body>Log in</body></html>',
      /is a web page and no certificate: download/,
    ],
    ['a private key', () => key, /contains no certificate, but a private key: put the issued certificate/],
    ['nothing', () => '', /is empty/],
    ['blanks', () => ' \r\n', /contains no certificate: it must hold PEM blocks/],
    [
      'a PKCS#7 file',
      () => `-----BEGIN PKCS7-----\nMAA=\n-----END PKCS7-----\n`,
      /is a PKCS#7 file: convert it with "openssl pkcs7 -print_certs/,
    ],
    [
      'a request',
      () => '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n',
      /is a certificate request: put the issued certificate in its place/,
    ],
  ]
  const TEXT: [string, (text: string) => string | Buffer, RegExp][] = [
    [
      'quoted in a mail',
      (text) => text.replaceAll(/^/gm, '> '),
      /other characters in between, such as the > of a mail/,
    ],
    ['with the line breaks of a web page', (text) => text.replaceAll('\n', '<br>'), /marks of a web page/],
    ['with line numbers', (text) => text.replaceAll(/^/gm, '1: '), /or line numbers; save the file itself/],
    ['with typographic dashes', (text) => text.replaceAll('-----', '—–—'), /mistyped first .*five hyphens/],
    [
      'inside JSON, in base64',
      (text) => `{"cert":"${base64Of(text)}"}`,
      /one value among others.*save this value alone/,
    ],
    ['compressed', (text) => gzipSync(text), /is a compressed file: unpack it/],
    [
      'in a ZIP archive',
      (text) => Buffer.concat([Buffer.from('PK\u0003\u0004'), gzipSync(text)]),
      /is a ZIP archive: unpack it/,
    ],
    [
      'in a Java keystore',
      () => Buffer.from('feedfeed00000002', 'hex'),
      /is a Java keystore: .*keytool -importkeystore/,
    ],
  ]
  it.each(TEXT)('a certificate and a key %s', async (_, form, words) => {
    for (const content of [certificate, key]) {
      const refusal = await refusalOf(() => readOpen(write('form.pem', form(content))))
      expect([refusal.message, ...refusal.details].join('\n')).toMatch(words)
    }
  })

  it.each(CERTIFICATE)('%s in the place of a certificate', (_, content, words) => {
    expect(() => readCertificates(write('wrong.crt', content()), 'callbacks.certificate')).toThrow(words)
  })

  const KEY: [string, () => string, RegExp][] = [
    ['a certificate', () => certificate, /contains no private key, but a certificate: name the file of the key/],
    [
      'a public key',
      () => '-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n',
      /contains no private key: it must hold/,
    ],
    [
      'a public key of SSH',
      () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@host\n',
      /is a public key of SSH: name the private key/,
    ],
    [
      'a key of OpenSSH',
      () => '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n',
      /convert it in its place with "ssh-keygen -p -m PKCS8 -f FILE"/,
    ],
    [
      'an encrypted key',
      () =>
        createPrivateKey(key)
          .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
          .toString(),
      /is encrypted with a passphrase, .*: decrypt it with "openssl pkey/,
    ],
    [
      'a key that was cut off',
      () => key.slice(0, 120),
      /is not a whole private key: it has no END line: copy the whole file/,
    ],
  ]
  it.each(KEY)('%s in the place of a key', (_, content, words) => {
    expect(() => readPrivateKey(write('wrong.key', content()), 'callbacks.privateKey')).toThrow(words)
  })

  it('PEM files in the place of a .p12 of the service: how to name them', () => {
    const files = { pkcs12: write('both.p12', certificate + key), passwordFile: null }
    const { certificate: loaded } = loadServiceFiles({ environment: 'sandbox', certificate: files, authorities: null })
    expect(loaded?.problem(Date.now())).toMatch(
      /is no PKCS#12 file: give it the ending \.pem, and name it as certificate/,
    )
  })
})

describe.skipIf(!hasOpenssl)('forms of OpenSSL (with openssl)', () => {
  it('a certificate with trust settings is read, unless it is rejected for a use', async () => {
    openssl(['x509', '-in', at('server.crt'), '-trustout', '-addtrust', 'serverAuth', '-out', at('trusted.pem')])
    const [leaf] = readCertificates(at('server.crt'), 'callbacks.certificate')
    expect(readCertificates(at('trusted.pem'), 'callbacks.certificate').map(String)).toEqual([String(leaf)])
    openssl(['x509', '-in', at('server.crt'), '-trustout', '-addreject', 'clientAuth', '-out', at('rejected.pem')])
    const { message } = await refusalOf(() => readCertificates(at('rejected.pem'), 'callbacks.trust'))
    expect(message).toMatch(/with trust settings: convert it with "openssl x509 -in FILE -out FILE\.pem"/)
  })

  it('PKCS#7 in any form is named with a command that converts it', async () => {
    openssl(['crl2pkcs7', '-nocrl', '-certfile', at('server.crt'), '-out', at('chain.p7b')])
    openssl(['crl2pkcs7', '-nocrl', '-certfile', at('server.crt'), '-outform', 'der', '-out', at('chain.der')])
    const pem = readFileSync(at('chain.p7b'), 'utf8')
    const der = readFileSync(at('chain.der'))
    const forms = [pem, der, lines(base64Of(der)), ...['CMS', 'CERTIFICATE'].map((to) => pem.replaceAll('PKCS7', to))]
    for (const content of forms) {
      const { message } = await refusalOf(() => readCertificates(write('p7', content), 'callbacks.trust'))
      const [, command = ''] = /is a PKCS#7 file: convert it with "(.+)" and use that/.exec(message) ?? []
      execFileSync('sh', ['-c', command.replaceAll('FILE', 'p7')], { cwd: folder })
      expect(readFileSync(at('p7.pem'), 'utf8')).toContain('BEGIN CERTIFICATE')
      rmSync(at('p7.pem'))
    }
  })

  it('an old encrypted key on one line is opened', async () => {
    openssl(['ec', '-in', at('server.key'), '-aes256', '-passout', 'pass:secret', '-out', at('old.key')])
    const file = write('old-one-line.key', readFileSync(at('old.key'), 'utf8').replaceAll('\n', '\\n'))
    expect((await readBundle(file, async () => 'secret')).keys).toHaveLength(1)
  })

  it('a binary request is distinguished from a binary revocation list and from a key', async () => {
    openssl(['req', '-new', '-key', at('server.key'), '-subj', '/CN=x', '-outform', 'der', '-out', at('x.csr')])
    expect((await readOpen(at('x.csr'))).requests).toHaveLength(1)
    expect(() => readCertificates(at('x.csr'), 'callbacks.certificate')).toThrow(/is a certificate request/)
  })
})
