import { constants, type KeyObject, verify } from 'node:crypto'
import { type Element, elementsOf, oidOf } from './der.ts'

/** Digests by signature algorithm; SHA-1 and MD5 can be forged. */
const DIGESTS: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
  '1.3.101.113': null,
}
const RSA_PSS = '1.2.840.113549.1.1.10'
const PSS_DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

export type SignatureCheck = (signed: Buffer, key: KeyObject, signature: Buffer) => boolean

/** How to check signatures of an AlgorithmIdentifier (RFC 5280 section 4.1.1.2), DER; or a text that names an algorithm which is not accepted. */
export function signatureCheckOf({ content }: Element): SignatureCheck | string {
  const [oid, parameters] = elementsOf(content)
  const algorithm = oidOf(oid?.content ?? Buffer.of())
  if (algorithm === RSA_PSS) {
    const digest = pssDigestOf(parameters)
    if (digest === undefined) return 'SHA-1, which is too weak'
    const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: saltLength } = constants
    return (signed, key, signature) => verify(digest, signed, { key, padding, saltLength }, signature)
  }
  const digest = DIGESTS[algorithm]
  if (digest === undefined) return `an algorithm that is too weak or not known (${algorithm})`
  return (signed, key, signature) => verify(digest, signed, key, signature)
}

/** RSASSA-PSS-params (RFC 4055 section 3.1): the hash is in [0]; left out it is SHA-1. */
function pssDigestOf(parameters: Element | undefined): string | undefined {
  const hash = elementsOf(parameters?.content).find(({ tag }) => tag === 0xa0)
  const [algorithm] = elementsOf(hash?.content)
  const [oid] = elementsOf(algorithm?.content)
  return PSS_DIGESTS[oidOf(oid?.content ?? Buffer.of())]
}
