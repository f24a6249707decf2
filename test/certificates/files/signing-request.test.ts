import { createPrivateKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  describeRequest,
  isRequest,
  KEY_TYPES,
  makeSigningRequest,
} from '../../../src/certificates/files/signing-request.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { derOf } from '../../support/revocation-lists.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { refusalOf } from './bundles.ts'

describe.skipIf(!hasOpenssl)('a certificate request (with openssl)', () => {
  it.each(KEY_TYPES)(
    'with a key of type %s is good for openssl, names every host and is signed with SHA-256',
    async (keyType) => {
      const file = join(temporaryFolder(), 'request.pem')
      const names = ['callbacks.example.com', '*.Example.org', 'ação.example', 'callbacks.example.com']
      const made = await makeSigningRequest({ names, keyType, organization: 'Loja + "Cia", Ltda' })
      writeFileSync(file, made.request)
      const text = openssl(['req', '-in', file, '-noout', '-verify', '-text', '-nameopt', 'RFC2253'])
      expect(text).toMatch(/Subject: O=Loja \\\+ \\"Cia\\"\\, Ltda,CN=callbacks\.example\.com/)
      expect(text).toContain(`DNS:callbacks.example.com, DNS:*.example.org, DNS:${domainToASCII('ação.example')}\n`)
      expect(text).toMatch(/Signature Algorithm: (ecdsa-with-SHA256|sha256WithRSAEncryption)/)
      expect(text).toMatch(
        keyType === 'p256' ? /NIST CURVE: P-256/ : new RegExp(`Public-Key: \\(${keyType.slice(3)} bit\\)`),
      )
      writeFileSync(file, made.privateKey)
      const shared = openssl(['pkey', '-in', file, '-pubout'])
      expect(createPrivateKey(made.privateKey).type).toBe('private')
      writeFileSync(file, made.request)
      expect(openssl(['req', '-in', file, '-noout', '-pubkey'])).toBe(shared)
    },
  )
})

it.skipIf(!hasOpenssl)(
  'a request has the attributes of its subject that institutions ask for (with openssl)',
  async () => {
    const file = join(temporaryFolder(), 'request.pem')
    const subject = [
      { attribute: 'organizationIdentifier', value: 'OFBBR-1' },
      { attribute: 'serialNumber', value: '00000000000191' },
      { attribute: 'UID', value: 'b0c1' },
      { attribute: 'C', value: 'BR' },
    ] as const
    const made = await makeSigningRequest({ names: ['a.example'], keyType: 'p256', subject })
    writeFileSync(file, made.request)
    expect(openssl(['req', '-in', file, '-noout', '-verify', '-subject', '-nameopt', 'RFC2253,show_type'])).toContain(
      'subject=C=PRINTABLESTRING:BR,UID=UTF8STRING:b0c1,serialNumber=PRINTABLESTRING:00000000000191,organizationIdentifier=UTF8STRING:OFBBR-1,CN=UTF8STRING:a.example',
    )
    const long = makeSigningRequest({
      names: ['a.example'],
      keyType: 'p256',
      subject: [{ attribute: 'serialNumber', value: '1'.repeat(65) }],
    })
    await expect(long).rejects.toThrow('--subject serialNumber has 65 characters')
  },
)

it('a request is described, and a spoiled one is reported', async () => {
  const { request } = await makeSigningRequest({ names: ['a.example', 'b.example'], keyType: 'p256' })
  const der = derOf(request)
  expect(await describeRequest(der)).toEqual({
    subjectName: 'CN=a.example',
    names: ['a.example', 'b.example'],
    keyType: 'EC P-256',
    isSigned: true,
  })
  const spoiled = Buffer.from(der)
  spoiled[der.indexOf('b.example')] = 'c'.charCodeAt(0)
  expect(await describeRequest(spoiled)).toMatchObject({ names: ['a.example', 'c.example'], isSigned: false })
  expect([await isRequest(der), await isRequest(der.subarray(0, 99)), await isRequest(Buffer.alloc(9))]).toEqual([
    true,
    false,
    false,
  ])
})

it('a name longer than a common name may be is only a host name', async () => {
  const name = `${'long.'.repeat(13)}example`
  const { request } = await makeSigningRequest({ names: [name], keyType: 'p256' })
  expect(await describeRequest(derOf(request))).toMatchObject({ subjectName: '', names: [name] })
})

it('what is no DNS name is refused', async () => {
  for (const name of [
    '',
    '192.0.2.1',
    '::1',
    '0x7f.1',
    'https://a.example',
    'a b',
    '-a.example',
    'a..b',
    '*',
    'a.*.b',
  ]) {
    const error = await refusalOf(() => makeSigningRequest({ names: [name], keyType: 'p256' }))
    expect([error.code, error.message], name).toEqual([
      'request_invalid',
      expect.stringMatching(/is no DNS name: give the host of the URL/),
    ])
  }
})

describe('the organization has the limits of RFC 5280', () => {
  const request = (organization: string) =>
    makeSigningRequest({ names: ['callbacks.example.com'], keyType: 'p256', organization })

  it.each([
    ['64 letters', 'A'.repeat(64)],
    ['64 letters of two bytes', 'ã'.repeat(64)],
    ['64 characters of four bytes', '🏦'.repeat(64)],
  ])('%s are whole in the request', async (_, organization) => {
    const { request: pem } = await request(organization)
    expect((await describeRequest(derOf(pem))).subjectName).toContain(`O=${organization}`)
  })

  it.each([
    ['A'.repeat(65), /^--organization has 65 characters, and RFC 5280 allows 64: shorten it$/],
    ['ã'.repeat(65), /has 65 characters/],
    ['🏦'.repeat(65), /has 65 characters/],
    [' ', /^--organization is empty/],
    ['two\nlines', /^--organization holds a control character/],
  ])('%j is refused', async (organization, words) => {
    expect(await refusalOf(() => request(organization))).toMatchObject({
      code: 'request_invalid',
      message: expect.stringMatching(words),
    })
  })

  it('a host name of 253 characters is taken, with a wildcard in front of it no longer', async () => {
    const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
    await makeSigningRequest({ names: [name], keyType: 'p256' })
    expect((await refusalOf(() => makeSigningRequest({ names: [`*.${name}`], keyType: 'p256' }))).message).toContain(
      'is no DNS name',
    )
  })
})
