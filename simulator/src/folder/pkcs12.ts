import { createHash, createHmac, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import type forge from 'node-forge'
import type { KeyPair } from './certificates.ts'

type Forge = typeof forge
type Asn1 = forge.asn1.Asn1
type Der = ReturnType<typeof derOf>

/** An empty password protects nothing, so the number only follows the habit of other programs. */
const ITERATIONS = 2_048
const PASSWORD = ''

/**
 * A PKCS#12 file (RFC 7292) with an empty password, of one certificate and its key: AES-256 with PBKDF2, HMAC-SHA-256.
 * The certificate is copied byte by byte: node-forge's own writer encodes one again, and thereby changes an ECDSA signature's algorithm.
 */
export async function writePkcs12({ cert, key }: KeyPair, name: string): Promise<Buffer> {
  const der = derOf((await import('node-forge')).default)
  const { raw } = new X509Certificate(cert)
  const attributes = attributesOf(der, raw, name)
  const certificateBag = der.sequence(
    der.oid('1.2.840.113549.1.12.10.1.3'),
    der.tagged(der.sequence(der.oid('1.2.840.113549.1.9.22.1'), der.tagged(der.octets(raw)))),
    attributes,
  )
  const privateKey = der.parse(createPrivateKey(key).export({ type: 'pkcs8', format: 'der' }))
  const keyBag = der.sequence(der.oid('1.2.840.113549.1.12.10.1.2'), der.tagged(der.encrypted(privateKey)), attributes)
  const safes = der.bytes(
    der.sequence(...[certificateBag, keyBag].map((bag) => contentOf(der, der.bytes(der.sequence(bag))))),
  )
  return der.bytes(der.sequence(der.integer(3), contentOf(der, safes), macOf(der, safes)))
}

function contentOf(der: Der, bytes: Buffer): Asn1 {
  return der.sequence(der.oid('1.2.840.113549.1.7.1'), der.tagged(der.octets(bytes)))
}

/** The displayed name, and the identifier that connects key and certificate. */
function attributesOf(der: Der, certificate: Buffer, name: string): Asn1 {
  const identifier = createHash('sha1').update(certificate).digest()
  return der.set(
    der.sequence(der.oid('1.2.840.113549.1.9.20'), der.set(der.bmpString(name))),
    der.sequence(der.oid('1.2.840.113549.1.9.21'), der.set(der.octets(identifier))),
  )
}

function macOf(der: Der, bytes: Buffer): Asn1 {
  const salt = randomBytes(16)
  const mac = createHmac('sha256', der.macKey(salt)).update(bytes).digest()
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
    tagged: (value: Asn1) => asn1.create(CONTEXT_SPECIFIC, 0 as forge.asn1.Type, true, [value]),
    oid: (oid: string) => primitive(OID, asn1.oidToDer(oid).getBytes()),
    octets: (bytes: Buffer) => primitive(OCTETSTRING, bytes.toString('latin1')),
    integer: (value: number) => primitive(INTEGER, asn1.integerToDer(value).getBytes()),
    null: () => primitive(NULL, ''),
    // node-forge writes the characters as UTF-16 itself.
    bmpString: (text: string) => primitive(BMPSTRING, text),
    parse: (bytes: Buffer) => asn1.fromDer(bytes.toString('latin1')),
    bytes: (value: Asn1) => Buffer.from(asn1.toDer(value).getBytes(), 'latin1'),
    encrypted: (value: Asn1) =>
      pki.encryptPrivateKeyInfo(value, PASSWORD, {
        algorithm: 'aes256',
        count: ITERATIONS,
        saltSize: 16,
        prfAlgorithm: 'sha256',
      }),
    macKey: (salt: Buffer) =>
      Buffer.from(
        pkcs12
          .generateKey(PASSWORD, util.createBuffer(salt.toString('latin1')), 3, ITERATIONS, 32, md.sha256.create())
          .getBytes(),
        'latin1',
      ),
  }
}
