import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDevelopmentCertificates } from '../../../src/certificates/development/development.ts'
import { readCertificates } from '../../../src/certificates/files/pem.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { COMMAND } from '../../../src/platform/installation.ts'
import { pkcs12Of } from './bundles.ts'

const KEY = 'callbacks.trust'
const folder = mkdtempSync(join(tmpdir(), 'portaria-pem-'))
const file = join(folder, 'chain.pem')
let chain: string
let blocks: string[]

beforeAll(async () => {
  await makeDevelopmentCertificates(folder)
  chain = readFileSync(join(folder, 'trust/production.pem'), 'utf8')
  blocks = chain.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----\n/g) ?? []
})

afterAll(() => rmSync(folder, { recursive: true }))

function read(text: string | Buffer) {
  writeFileSync(file, text)
  return readCertificates(file, KEY)
}

function refusalOf(text: string | Buffer): PortariaError {
  try {
    read(text)
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
  throw new Error('the file was accepted')
}

const subjectsOf = (text: string) => read(text).map((certificate) => certificate.subject.split('\n')[0])
const BOTH = ['CN=Test service production CA', 'CN=Test service root']

it('reads every certificate of a file, in its order', () => {
  expect(subjectsOf(chain)).toEqual(BOTH)
})

it('allows Windows line ends, a byte order mark, text between the blocks and no line end at the end', () => {
  const text = `\uFEFFsubject: production, BEGIN of the CERTIFICATE chain\n${blocks[0]}\n\nroot – raiz:\n${blocks[1]}`
  expect(subjectsOf(text.trimEnd().replaceAll('\n', '\r\n'))).toEqual(BOTH)
})

it('allows other things between the certificates, such as a key', () => {
  expect(subjectsOf(`${blocks[0]}${readFileSync(join(folder, 'server.key'), 'utf8')}${blocks[1]}`)).toEqual(BOTH)
})

const BAD_BLOCKS: [string, (block: string) => string, RegExp][] = [
  ['is cut off without an END line', (block) => block.slice(0, 300), /has no END line/],
  [
    'lost lines in the middle',
    (block) =>
      block
        .split('\n')
        .filter((_, index) => index !== 3)
        .join('\n'),
    /not a certificate, or was cut off/,
  ],
  ['lost characters', (block) => block.replace(/\n(.{10})/, '\n'), /not base64 text|not a certificate/],
  ['is empty', (block) => block.replace(/(-----\n)[\s\S]*(-----END)/, '$1$2'), /not base64 text, or was cut off/],
  ['is garbage', (block) => block.replace(/(-----\n)[\s\S]*(\n-----END)/, '$1#&%$2'), /not base64 text/],
  [
    'is other DER',
    (block) => block.replace(/(-----\n)[\s\S]*(\n-----END)/, '$1MAMCAQU=$2'),
    /not a certificate, or was cut off/,
  ],
  ['has a mistyped BEGIN line', (block) => block.replace('-----BEGIN', '----BEGIN'), /mistyped first or last line/],
  ['lost the dashes behind BEGIN', (block) => block.replace('CERTIFICATE-----', 'CERTIFICATE'), /mistyped first/],
  ['lost the dashes before BEGIN', (block) => block.replace('-----BEGIN', 'BEGIN'), /mistyped first/],
  ['got typographic dashes', (block) => block.replaceAll('-----', '——–'), /mistyped first/],
  ['has a mistyped END line', (block) => block.replace('-----END', '- ----END'), /has no END line/],
  [
    'is a certificate request',
    (block) => block.replaceAll(' CERTIFICATE-', ' CERTIFICATE REQUEST-'),
    /is a certificate request/,
  ],
]

for (const [title, spoil, reason] of BAD_BLOCKS) {
  it(`refuses a file when its second block ${title}, naming file, block and remedy`, () => {
    const error = refusalOf(blocks[0] + spoil(blocks[1] ?? ''))
    const [first = error.message] = error.details
    expect(error.code).toBe('certificate_invalid')
    expect(first).toContain(`${file}: block 2 `)
    expect(first).toMatch(reason)
    expect(first).toMatch(/copy the whole file again|put the issued certificate/)
  })
}

it('refuses bytes behind a certificate inside its block', () => {
  const der = Buffer.concat([read(chain)[0]?.raw ?? Buffer.of(), Buffer.from([0, 0, 0])])
  const text = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
  expect(refusalOf(text).message).toMatch(/block 1 has bytes behind its certificate/)
})

it('reports all bad blocks together', () => {
  const error = refusalOf(blocks.map((block) => block.slice(0, 200)).join('\n'))
  expect(error.message).toBe(`2 certificate blocks of ${file} cannot be used`)
  expect(error.details).toEqual([
    `${file}: block 1 has no END line: copy the whole file again from where it came`,
    `${file}: block 2 has no END line: copy the whole file again from where it came`,
  ])
})

it('refuses a file without any certificate and says what belongs there', () => {
  expect(refusalOf('').message).toBe(`${file} is empty: put the certificates there, in PEM form`)
  expect(refusalOf('hello\n').message).toMatch(/contains no certificate: it must hold PEM blocks/)
})

it('names the commands for a .p12 in the place of certificates', async () => {
  const [certificate, key] = ['server.crt', 'server.key'].map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(refusalOf(await pkcs12Of(certificate ?? '', key ?? '')).message).toBe(
    `${file} is a PKCS#12 file (.p12 or .pfx): take its CA certificates with "openssl pkcs12 -in ${file} -cacerts -nokeys -out FILE.pem" ("${COMMAND} certs import" installs a certificate with its key)`,
  )
})

it('names a missing file, its configuration key and what to do', () => {
  const missing = join(folder, 'nowhere.pem')
  expect(() => readCertificates(missing, KEY)).toThrow(
    `${missing} (callbacks.trust) does not exist: put the file there, or correct the path in the configuration`,
  )
  expect(() => readCertificates(folder, KEY)).toThrow(/is a folder: name a PEM file/)
})

it('quotes nothing of the file: a key without line breaks looks like one mistyped line, and a label may be anything', () => {
  const key = readFileSync(join(folder, 'server.key'), 'utf8')
  const secret = key.split('\n')[1]?.slice(0, 20) ?? ''
  const broken = ['\\n', ' ', '\t'].map((separator) => key.replaceAll('\n', separator))
  for (const text of [...broken, chain.replaceAll('CERTIFICATE', `CERTIFICATE ${secret.toUpperCase()}`)]) {
    const { message, details } = refusalOf(text.replaceAll('PRIVATE KEY', 'CERTIFICATE KEY'))
    expect([message, ...details].join('\n').toUpperCase()).not.toContain(secret.toUpperCase())
  }
})
