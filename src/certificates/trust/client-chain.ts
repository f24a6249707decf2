import type { X509Certificate } from 'node:crypto'
import { PortariaError } from '../../platform/errors.ts'
import { orderChain } from '../files/chain-order.ts'
import { certificatesIn, issuerNameOf, nameOf } from '../files/pem.ts'
import type { ClientCertificate } from '../live/client-certificate.ts'

/**
 * What receivers install to know the gateway by its client certificate, PEM: its issuers in order up to the root, which OpenSSL and Node ask for; a
 * self-signed certificate stands for itself. A root that Node itself trusts need not be in the file.
 * @throws PortariaError `not_found` where there is no such chain, with what to do; without paths, for everybody may read it
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

/** None of one that cannot be used. */
function certificatesOf(client: ClientCertificate): X509Certificate[] {
  try {
    return certificatesIn(client.tls.cert)
  } catch {
    // What is wrong with it is in the log, and is told whenever something is to be sent.
    return []
  }
}

function notFound(message: string): PortariaError {
  return new PortariaError('not_found', message)
}
