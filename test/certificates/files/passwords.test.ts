import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import forge from 'node-forge'
import { afterAll, expect, it } from 'vitest'
import { readBundle } from '../../../src/certificates/files/bundle.ts'
import { refusalOf } from './bundles.ts'

// About one wrong password in 256 decrypts to a valid padding, and some of these to valid ASN.1. The files below were made with openssl, with the
// password "right"; the wrong passwords were found by trying some thousand.

const folder = mkdtempSync(join(tmpdir(), 'portaria-chance-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string | Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

async function messageFor(file: string, password: string): Promise<string> {
  return (await refusalOf(() => readBundle(file, async () => password))).message
}

/** `openssl pkey -aes256 -traditional`: "wrong0" decrypts to valid padding. */
const TRADITIONAL_KEY = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,2B152CBCDD6A2FB718D3B640B2071E1F

/sHcdT+8unRfgWH+tugM3eeZ6GgCQ19clHHmka6wwGNcYjqRhtHGwpUjWo1hNX9u
AheWR23X3OtFscg6HtdEDgNHOl0Q5fgdwVZ7YPT/j+hCBtc0m8YSVbJ67ldmZC6X
4GvlTD+iqKg+3xHRIqw1B6Hlgt5wkjQQ/KidzY842xI=
-----END EC PRIVATE KEY-----
`
/** `openssl pkey -aes128 -traditional`: the empty password, which is tried first, decrypts to valid padding. */
const KEY_WITH_EMPTY_CHANCE = `-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,E7A6A088A797B78CD210F65046DD28EC

oBqHmfiBANrpUnCb2vOLrHIIJWRHPbjwyeIViDRPlYUezqBSIpvWE+I19tKMhoeh
dMtp0m5Ic7hoM+foJQTBHjtszowtM77Kh6H+tIKe4VDixHII6sMjFofeCRQgh42J
dgCXuOxx1pXSaODzz4iOltASIofxKtqN36vZaaJbOAI=
-----END EC PRIVATE KEY-----
`
/** `openssl pkcs8 -topk8 -v1 PBE-SHA1-RC2-40`: "wrong567" decrypts to valid ASN.1. */
const PKCS8_KEY = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGwMBsGCiqGSIb3DQEMAQYwDQQI1f0pJZScCX4CAQEEgZDd/Orgu47NP1tNW0gw
z3A45EU5TSNpaslYyJaMrOOdiqtPgmESoUNhqZxISbD618brYse00n3EFH/iPCjZ
DV/j978frMtVcV9TIcujhAjWyEqzWO3Njo6ukBvZ3XTyOH0KQ3SX36dM4+muwuay
tTkq/Ly02NblI/pj8f4AOfD6HD6iVl5UrVOcE9hp2JffBV8=
-----END ENCRYPTED PRIVATE KEY-----
`
/** `openssl pkcs12 -export -nomac -certpbe NONE -keypbe PBE-SHA1-RC2-40`: "wrong963" decrypts the key to valid ASN.1. */
const PKCS12 = `
MIIDCQIBAzCCAwIGCSqGSIb3DQEHAaCCAvMEggLvMIIC6zCCAeIGCSqGSIb3DQEHAaCCAdMEggHPMIIByzCCAccGCyqGSIb3DQEM
CgEDoIIBjzCCAYsGCiqGSIb3DQEJFgGgggF7BIIBdzCCAXMwggEZoAMCAQICFH2Lk1gSVJ+oJdi4AhBqJNB1Zwk1MAoGCCqGSM49
BAMCMA8xDTALBgNVBAMMBGxlYWYwHhcNMjYxMTIyMTAzODIxWhcNMjcwMzAyMTAzODIxWjAPMQ0wCwYDVQQDDARsZWFmMFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAEkio413e4pkNInrqZ4Ja2uVkCrEVycou+xnZ6q2xCCwkE92tTMRUFAtNCcw90WboPeUEmiy01
wcp4wD+9ZExrGaNTMFEwHQYDVR0OBBYEFCBqczX3/PQ5n8z3rIF9J4QTYZFMMB8GA1UdIwQYMBaAFCBqczX3/PQ5n8z3rIF9J4QT
YZFMMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhALCr8qdqsUSGuatyPWHSt6opCvgOKhlIZhvf/MiCudk7AiB8
7OgsgPtnb8jzBEhCvHIUAuuZqOvQ9zNALvA7UKd5CjElMCMGCSqGSIb3DQEJFTEWBBSv0ullcUfNElxH8EulYX4Xkz6gOzCCAQEG
CSqGSIb3DQEHAaCB8wSB8DCB7TCB6gYLKoZIhvcNAQwKAQKggbMwgbAwGwYKKoZIhvcNAQwBBjANBAi5sKNHB2BE/gIBAQSBkCP7
clBQ8KfZIMLFXRhAa4vIMqtpyZrJFVXdPnj5bV8zyYKaH3bR2Nz01EWduLIkZRNJWtS5XBVntQRDpZzQr/nBFs90y63ri+EzgSBF
+xsdxX1GUc9htoqjV9AXCqst0rQvf3VwWfDREond8yfeSRONJuGuR5FXkqZAYAS+dNoQqIkTnEfIOuiUugj3a/JDKTElMCMGCSqG
SIb3DQEJFTEWBBSv0ullcUfNElxH8EulYX4Xkz6gOw==`

it('calls a wrong password of a traditional key that, also where its padding is valid by chance', async () => {
  const file = write('traditional.key', TRADITIONAL_KEY)
  expect(await messageFor(file, 'wrong0')).toBe(`the password does not open ${file}: block 1: check it and try again`)
})

it('asks for the password of a key whose padding is valid by chance with the empty one', async () => {
  const file = write('empty.key', KEY_WITH_EMPTY_CHANCE)
  expect((await readBundle(file, async () => 'right')).keys).toHaveLength(1)
})

it('calls a wrong password of a PKCS#8 key that, also where it decrypts to ASN.1 by chance', async () => {
  const file = write('pkcs8.key', PKCS8_KEY)
  expect(await messageFor(file, 'wrong567')).toBe(`the password does not open ${file}: block 1: check it and try again`)
  expect((await readBundle(file, async () => 'right')).keys).toHaveLength(1)
})

it('calls a wrong password of a .p12 without a MAC that, also where it decrypts a key to ASN.1 by chance', async () => {
  const file = write('chance.p12', Buffer.from(PKCS12, 'base64'))
  expect(await messageFor(file, 'wrong963')).toBe(`the password does not open ${file}: check it and try again`)
  expect((await readBundle(file, async () => 'right')).keys).toHaveLength(1)
})

// No wrong password of a real file was found for this case, so the content is encrypted here.
it('calls a wrong password of a .p12 without a MAC that, also where it decrypts the certificates to other ASN.1', async () => {
  for (const content of [octets('by chance'), sequence(octets('by chance')), sequence(sequence(octets('by chance')))]) {
    const file = write('safes.p12', Buffer.from(forge.asn1.toDer(pfxWith(content)).getBytes(), 'latin1'))
    expect(await messageFor(file, 'wrong')).toBe(`the password does not open ${file}: check it and try again`)
  }
})

type Asn1 = forge.asn1.Asn1
const { asn1 } = forge

function sequence(...values: Asn1[]): Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, values)
}

function octets(bytes: string): Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, false, bytes)
}

function oid(text: string): Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OID, false, asn1.oidToDer(text).getBytes())
}

function integer(value: number): Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, asn1.Type.INTEGER, false, asn1.integerToDer(value).getBytes())
}

function tagged(value: Asn1): Asn1 {
  return asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, true, [value])
}

/** A PKCS#12 file without a MAC that holds this content, encrypted with the password "wrong". */
function pfxWith(content: Asn1): Asn1 {
  const encrypted = forge.pki.encryptPrivateKeyInfo(content, 'wrong', { algorithm: 'aes128', count: 1 })
  const [algorithm, bytes] = encrypted.value as [Asn1, Asn1]
  const implicit = asn1.create(asn1.Class.CONTEXT_SPECIFIC, 0, false, bytes.value as string)
  const info = sequence(integer(0), sequence(oid('1.2.840.113549.1.7.1'), algorithm, implicit))
  const safes = sequence(sequence(oid('1.2.840.113549.1.7.6'), tagged(info)))
  const data = sequence(oid('1.2.840.113549.1.7.1'), tagged(octets(asn1.toDer(safes).getBytes())))
  return sequence(integer(3), data)
}
