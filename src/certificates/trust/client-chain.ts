/**
 * The chain holds the issuers of the client certificate up to the root, never the certificate itself unless it is self-
 * signed: OpenSSL and Node trust no chain that does not end at a root. An incomplete file is a 404 that names what is
 * missing.
 */

import type { X509Certificate } from 'node:crypto'
import { PortariaError } from '../../platform/errors.ts'
import { orderChain } from '../files/chain-order.ts'
import { certificatesIn, issuerNameOf, nameOf } from '../files/pem.ts'
import type { ClientCertificate } from '../live/client-certificate.ts'

/**
 * The chain that receivers install to verify the gateway's client certificate, PEM: its issuers in order up to the root, which OpenSSL and Node need; a
 * self-signed certificate is its own chain. A root that Node trusts may be missing from the file.
 * @throws PortariaError `not_found` with what to do where there is no such chain; without paths, because the text is public
 */
export function clientChainOf(client: ClientCertificate | null, now: Date): string {
  if (client === null) throw notFound(NOT_CONFIGURED)
  const [leaf, ...issuers] = certificatesOf(client)
  if (leaf === undefined) throw notFound(UNUSABLE)
  const { chain, root, withoutIssuer } = orderChain(leaf, issuers, now)
  if (root === null) throw notFound(explainGap(withoutIssuer ?? leaf))
  const trusted = root === leaf ? [leaf] : [...chain.slice(1), root]
  return trusted.map(String).join('')
}

const NOT_CONFIGURED =
  'the gateway shows destinations no client certificate: set forwarding.clientCertificate, or let them accept its deliveries without one'
const UNUSABLE =
  "the gateway's client certificate cannot be used, and nothing is sent over https until it can: its log says why"

function explainGap(last: X509Certificate): string {
  return `the certificate of ${issuerNameOf(last)}, which issued ${nameOf(last)}, is not in the file of forwarding.clientCertificate: append it, and so on up to the root; the file is taken up by itself`
}

/** Empty for a certificate that cannot be used. */
function certificatesOf(client: ClientCertificate): X509Certificate[] {
  try {
    return certificatesIn(client.tls.cert)
  } catch {
    // The problem is logged, and reported for each delivery.
    return []
  }
}

function notFound(message: string): PortariaError {
  return new PortariaError('not_found', message)
}
