import type { X509Certificate } from 'node:crypto'

export interface KeyUsages {
  readonly maySign: boolean
  /** In any version of TLS. */
  readonly mayServe: boolean
  readonly mayIssue: boolean
}

interface Element {
  readonly tag: number
  readonly content: Buffer
}

const ANY: KeyUsages = { maySign: true, mayServe: true, mayIssue: true }
/** 2.5.29.15 */
const KEY_USAGE = Buffer.of(0x55, 0x1d, 0x0f)
/** extensions [3] of TBSCertificate (RFC 5280 section 4.1). */
const EXTENSIONS = 0xa3

/** The certificate's key usage (RFC 5280 section 4.2.1.3), which Node does not show. Without the extension every use is allowed. */
export function keyUsagesOf({ raw }: X509Certificate): KeyUsages {
  const [certificate] = elementsOf(raw)
  const [toBeSigned] = elementsOf(certificate?.content)
  const extensions = elementsOf(toBeSigned?.content).find(({ tag }) => tag === EXTENSIONS)
  const [list] = elementsOf(extensions?.content)
  const extension = elementsOf(list?.content)
    .map(({ content }) => elementsOf(content))
    .find(([oid]) => oid?.content.equals(KEY_USAGE))
  const [bitString] = elementsOf(extension?.at(-1)?.content)
  // The first byte of a BIT STRING counts its unused bits.
  const bits = bitString?.content[1]
  if (bits === undefined) return ANY
  const has = (bit: number) => (bits & (0x80 >> bit)) !== 0
  return { maySign: has(0) || has(4), mayServe: has(0) || has(2) || has(4), mayIssue: has(5) }
}

/** The DER values one after the other, which OpenSSL has parsed before. */
function elementsOf(der: Buffer = Buffer.of()): Element[] {
  const elements: Element[] = []
  for (let rest = der; rest.length >= 2; ) {
    const [tag = 0, first = 0] = rest
    const lengthBytes = first < 0x80 ? 0 : first - 0x80
    if (lengthBytes > 4 || rest.length < 2 + lengthBytes) break
    const length = lengthBytes === 0 ? first : rest.readUIntBE(2, lengthBytes)
    const begin = 2 + lengthBytes
    elements.push({ tag, content: rest.subarray(begin, begin + length) })
    rest = rest.subarray(begin + length)
  }
  return elements
}
