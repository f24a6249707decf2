import { createHash, createHmac, type KeyObject, randomBytes, type X509Certificate } from 'node:crypto'
import type forge from 'node-forge'
import { type Forge, loadForge } from './forge.ts'

type Asn1 = forge.asn1.Asn1

/** Of the key derivation for encryption and MAC. */
const ITERATIONS = 20_000

export interface Pkcs12Source {
  readonly key: KeyObject
  /** The certificate of the key first. */
  readonly chain: readonly X509Certificate[]
  readonly password: string
  /** The name that programs display. */
  readonly name: string
}

/** A PKCS#12 file (RFC 7292): AES-256 with PBKDF2 for the key and the certificates, HMAC-SHA-256 over all of it. */
export async function writePkcs12({ key, chain, password, name }: Pkcs12Source): Promise<Buffer> {
  const der = derOf(await loadForge())
  const attributes = attributesOf(der, chain, name)
  const certificates = chain.map((certificate, index) =>
    der.sequence(
      der.oid('1.2.840.113549.1.12.10.1.3'),
      der.tagged(0, der.sequence(der.oid('1.2.840.113549.1.9.22.1'), der.tagged(0, der.octets(certificate.raw)))),
      ...(index === 0 ? [attributes] : []),
    ),
  )
  const keyBag = der.sequence(
    der.oid('1.2.840.113549.1.12.10.1.2'),
    der.tagged(0, der.encrypted(der.parse(key.export({ type: 'pkcs8', format: 'der' })), password)),
    attributes,
  )
  const safes = der.bytes(
    der.sequence(
      encryptedContent(der, der.sequence(...certificates), password),
      content(der, der.bytes(der.sequence(keyBag))),
    ),
  )
  return der.bytes(der.sequence(der.integer(3), content(der, safes), macOf(der, safes, password)))
}

type Der = ReturnType<typeof derOf>

function content(der: Der, bytes: Buffer): Asn1 {
  return der.sequence(der.oid('1.2.840.113549.1.7.1'), der.tagged(0, der.octets(bytes)))
}

function encryptedContent(der: Der, plain: Asn1, password: string): Asn1 {
  const [algorithm, bytes] = der.encrypted(plain, password).value as [Asn1, Asn1]
  return der.sequence(
    der.oid('1.2.840.113549.1.7.6'),
    der.tagged(
      0,
      der.sequence(
        der.integer(0),
        der.sequence(der.oid('1.2.840.113549.1.7.1'), algorithm, der.implicit(0, bytes.value as string)),
      ),
    ),
  )
}

/** The common identifier that connects the key with its certificate. */
function attributesOf(der: Der, [leaf]: readonly X509Certificate[], name: string): Asn1 {
  const identifier = createHash('sha1')
    .update(leaf?.raw ?? '')
    .digest()
  return der.set(
    der.sequence(der.oid('1.2.840.113549.1.9.20'), der.set(der.bmpString(name))),
    der.sequence(der.oid('1.2.840.113549.1.9.21'), der.set(der.octets(identifier))),
  )
}

function macOf(der: Der, bytes: Buffer, password: string): Asn1 {
  const salt = randomBytes(16)
  const mac = createHmac('sha256', der.macKey(password, salt)).update(bytes).digest()
  const sha256 = der.sequence(der.oid('2.16.840.1.101.3.4.2.1'), der.null())
  return der.sequence(der.sequence(sha256, der.octets(mac)), der.octets(salt), der.integer(ITERATIONS))
}

/** The ASN.1 values of the format. */
function derOf({ asn1, pki, pkcs12, md, util }: Forge) {
  const { UNIVERSAL, CONTEXT_SPECIFIC } = asn1.Class
  const { SEQUENCE, SET, OID, OCTETSTRING, INTEGER, NULL, BMPSTRING } = asn1.Type
  const primitive = (type: forge.asn1.Type, value: string) => asn1.create(UNIVERSAL, type, false, value)
  return {
    sequence: (...values: Asn1[]) => asn1.create(UNIVERSAL, SEQUENCE, true, values),
    set: (...values: Asn1[]) => asn1.create(UNIVERSAL, SET, true, values),
    tagged: (tag: forge.asn1.Type, value: Asn1) => asn1.create(CONTEXT_SPECIFIC, tag, true, [value]),
    implicit: (tag: forge.asn1.Type, bytes: string) => asn1.create(CONTEXT_SPECIFIC, tag, false, bytes),
    oid: (oid: string) => primitive(OID, asn1.oidToDer(oid).getBytes()),
    octets: (bytes: Buffer) => primitive(OCTETSTRING, bytes.toString('latin1')),
    integer: (value: number) => primitive(INTEGER, asn1.integerToDer(value).getBytes()),
    null: () => primitive(NULL, ''),
    // forge writes the characters as UTF-16 itself.
    bmpString: (text: string) => primitive(BMPSTRING, text),
    parse: (bytes: Buffer) => asn1.fromDer(bytes.toString('latin1')),
    bytes: (value: Asn1) => Buffer.from(asn1.toDer(value).getBytes(), 'latin1'),
    /** An EncryptedPrivateKeyInfo: algorithm and bytes. PBES2 takes the password as UTF-8 bytes. */
    encrypted: (value: Asn1, password: string) =>
      pki.encryptPrivateKeyInfo(value, Buffer.from(password, 'utf8').toString('latin1'), {
        algorithm: 'aes256',
        count: ITERATIONS,
        saltSize: 16,
        prfAlgorithm: 'sha256',
      }),
    macKey: (password: string, salt: Buffer) =>
      Buffer.from(
        pkcs12
          .generateKey(password, util.createBuffer(salt.toString('latin1')), 3, ITERATIONS, 32, md.sha256.create())
          .getBytes(),
        'latin1',
      ),
  }
}
