import type { X509Certificate } from 'node:crypto'
import { endsOf, orderChain } from '../files/chain-order.ts'
import { issuerNameOf, nameOf } from '../files/pem.ts'

/** Whether the certificates of a file form a chain. */
export interface ChainDescription {
  /** Whether each certificate is followed by its issuer; null: not one chain. */
  readonly isInOrder: boolean | null
  /** Whether the chain is complete up to a root, given or public; null: not one chain. */
  readonly isComplete: boolean | null
  readonly text: string
}

/** null: no certificate. */
export function describeChain(certificates: readonly X509Certificate[], now: Date): ChainDescription | null {
  if (certificates.length === 0) return null
  const [end, ...others] = endsOf(certificates)
  if (end === undefined || others.length > 0) {
    const names = endsOf(certificates).map(nameOf).join(', ')
    return { isInOrder: null, isComplete: null, text: `not one chain: it holds ${others.length + 1}, of ${names}` }
  }
  const { chain, root, withoutIssuer } = orderChain(end, certificates, now)
  const right = [...chain, ...(root === null || chain.includes(root) ? [] : [root])]
  const isInOrder = certificates.every((certificate, index) => certificate === right[index])
  return {
    isInOrder,
    isComplete: withoutIssuer === null,
    text: `${
      isInOrder
        ? 'in order'
        : `in the wrong order: ${right
            .filter((one) => certificates.includes(one))
            .map(nameOf)
            .join(', then ')}`
    }; ${explainEnd(certificates, root, withoutIssuer)}`,
  }
}

function explainEnd(
  given: readonly X509Certificate[],
  root: X509Certificate | null,
  withoutIssuer: X509Certificate | null,
): string {
  if (withoutIssuer !== null)
    return `the issuer of ${nameOf(withoutIssuer)}, ${issuerNameOf(withoutIssuer)}, is missing, unless it is a root that callers have`
  if (root === null || given.includes(root)) return 'complete, up to its root'
  return `complete, up to the public root ${nameOf(root)}`
}
