import type { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { problemOfRenewal } from '../../certificates/authority/renewing.ts'
import { isSelfSigned, orderChain, publicRootOf } from '../../certificates/files/chain-order.ts'
import { hasIssued, issuerNameOf, nameOf, problemsOf, readCertificates } from '../../certificates/files/pem.ts'
import { clientUseProblemOf } from '../../certificates/live/client-use.ts'
import { namesOf, usesOf } from '../../certificates/live/describe-certificate.ts'
import { loadServerCertificate } from '../../certificates/live/server-certificate.ts'
import { loadClientTrust } from '../../certificates/trust/client-trust.ts'
import { isMissingCredential } from '../../config/place.ts'
import { COMMAND } from '../../platform/installation.ts'
import { hostOf } from '../../platform/url-host.ts'
import { ownCertificatesOf, type ServerKeyPair } from './configured-files.ts'
import type { CheckContext } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn } from './finding.ts'

const report = reportOn('certificates')
const { good, warning, problem, failure } = report

/** Our own certificates, as in their files. @param url the public address: the callback certificate must name its host */
export function checkCertificates(context: CheckContext, url: URL | null): Finding[] {
  const findings = ownCertificatesOf(context.config).flatMap((pair) => certificateFindings(pair, context, url))
  return [...findings, ...clientTrustFindings(context)]
}

/** The private authority, which the gateway must be able to use. */
export async function checkAuthority({ config, now }: CheckContext): Promise<Finding[]> {
  const folder = config.certificates.authority
  if (folder === null) return []
  const what = 'private authority'
  const found = await problemOfRenewal(folder, config.forwarding.clientCertificate, now)
  if (found === null) return [good(what, folder)]
  return [failure('authority.unusable', what, found, 'the log of the gateway says more (authority.not_renewed)')]
}

/** The CA certificates for clients of the API. */
function clientTrustFindings({ config, now }: CheckContext): Finding[] {
  const { clientCa, ...lists } = config.api
  if (clientCa === null) return []
  const what = 'api: authorities of clients'
  try {
    const { value, warnings } = loadClientTrust({ ...lists, clientCa }, now)
    if (warnings.length > 0)
      return warnings.map((text) => warning('client_ca.dates', what, text, 'put the current ones there'))
    return [good(what, `${value.authorities.length} in ${clientCa}`)]
  } catch (error) {
    const nextStep = 'correct the files that api.clientCa and api.clientCrl name'
    return problemsOf(error).map((text) => failure('client_ca.unusable', what, text, nextStep))
  }
}

function certificateFindings(pair: ServerKeyPair, context: CheckContext, url: URL | null): Finding[] {
  const { section, certificate, privateKey } = pair
  const what = (item: string) => `${section}: ${item}`
  // The findings of the configuration name them.
  if ([certificate, privateKey].some(isMissingCredential)) return []
  if (context.config.mode === 'development' && !existsSync(certificate) && !existsSync(privateKey)) {
    const found = `${certificate} does not exist yet`
    return [warning('certificate.missing', what('key and chain'), found, 'start the gateway once: it creates one')]
  }
  try {
    loadServerCertificate(pair, context.now, section)
  } catch (error) {
    const nextStep = installWith(section)
    return problemsOf(error).map((text) => failure('certificate.unusable', what('key and chain'), text, nextStep))
  }
  const certificates = readCertificates(certificate, `${section}.certificate`)
  const renew = `renew it, then ${installWith(section)}`
  const [leaf] = certificates
  if (leaf === undefined) throw new TypeError('unreachable: a file without a certificate is a problem')
  return [
    good(what('key and chain'), 'the key belongs to the certificate, and the chain is in order'),
    ...(pair.isSeenByService ? chainFindings(certificates, what, context) : []),
    usageFinding(leaf, pair, what('usage')),
    ...(pair.usage === 'server' ? [nameFinding(leaf, what('names'), section === 'callbacks' ? url : null)] : []),
    ...expiryFindings(certificates, { report, what: what('dates'), renew, file: certificate }, context),
  ]
}

/** Whether the chain leads to a CA that callers trust: a public one, or one of those given. */
export function chainFindings(
  certificates: readonly X509Certificate[],
  what: (item: string) => string,
  { now, authorities, config }: Pick<CheckContext, 'now' | 'authorities' | 'config'>,
  { good, note, problem } = report,
): Finding[] {
  const [leaf] = certificates
  if (leaf === undefined) return []
  const authority = what('authority')
  const untrusted = (found: string, level = problem) => [level('certificate.authority', authority, found, GET_PUBLIC)]
  if (isSelfSigned(leaf)) return untrusted(`${nameOf(leaf)} is self-signed: no caller trusts it`)
  const { chain, root, withoutIssuer } = orderChain(leaf, certificates, now)
  const trusted = chain.map((one) => trustedIssuerOf(one, authorities)).find((authority) => authority !== null)
  if (trusted !== undefined) return [good(authority, `complete, up to ${nameOf(trusted)}, which callers trust`)]
  const last = chain.at(-1) ?? leaf
  if (isOfTestCa(last))
    return untrusted(
      `${issuerNameOf(last)} is a test CA: only this machine trusts it`,
      config.mode === 'development' ? note : problem,
    )
  if (root !== null) return untrusted(`callers do not know its root ${nameOf(root)}`)
  const missing = withoutIssuer ?? last
  // Nothing but a root is missing where the chain goes beyond the leaf: a server does not send its root.
  if (missing !== leaf)
    return untrusted(`callers do not know ${issuerNameOf(missing)}, which issued ${nameOf(missing)}`)
  const found = `${issuerNameOf(missing)}, which issued ${nameOf(missing)}, is missing, and callers do not know it`
  return [problem('certificate.incomplete', what('chain'), found, ADD_INTERMEDIATE)]
}

/** Certificates of the test CA have its name in their subject. */
export function isOfTestCa({ subject = '', issuer = '' }: X509Certificate): boolean {
  return [subject, issuer].some((name) => name.split('\n').includes('O=Portaria development'))
}

function trustedIssuerOf(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[] | null,
): X509Certificate | null {
  if (authorities === null) return publicRootOf(certificate)
  const isTheSame = (one: X509Certificate) => one.fingerprint256 === certificate.fingerprint256
  return authorities.find((one) => isTheSame(one) || hasIssued(one, certificate)) ?? null
}

function usageFinding(leaf: X509Certificate, { usage, section }: ServerKeyPair, what: string): Finding {
  const willBeLost = usage === 'client' && usesOf(leaf).includes('client') ? clientUseProblemOf(leaf) : null
  if (willBeLost !== null) return warning('certificate.usage', what, willBeLost, `then ${installWith(section)}`)
  if (usesOf(leaf).includes(usage)) return good(what, `may be used as a ${usage} certificate`)
  const found = `${nameOf(leaf)} may not be used as a ${usage} certificate`
  const nextStep = `have one issued with that extended key usage: ${installWith(section)}`
  return problem('certificate.usage', what, found, nextStep)
}

function nameFinding(leaf: X509Certificate, what: string, url: URL | null): Finding {
  const names = namesOf(leaf)
  const nameless = `${nameOf(leaf)} names no host: callers refuse it`
  if (names.length === 0) return problem('certificate.names', what, nameless, 'have one issued for your host name')
  const found = `names ${names.join(', ')}`
  if (url === null || isNamedBy(leaf, hostOf(url))) return good(what, found)
  const nextStep = `have one issued for ${hostOf(url)}: ${COMMAND} certs csr --name ${hostOf(url)} …`
  return problem('certificate.names', what, `${found}, not ${hostOf(url)}`, nextStep)
}

const GET_PUBLIC = `get one from a public authority (${COMMAND} certs csr, then certs import); if the service trusts this one, name its root with --ca FILE`

const ADD_INTERMEDIATE = `add the intermediate certificate (${COMMAND} certs import CERTIFICATE INTERMEDIATE); if the service trusts a private authority, name it with --ca FILE`

function installWith(section: string): string {
  const [place] = section.split('.')
  return `${COMMAND} certs import CERTIFICATE CHAIN --key KEY${place === 'callbacks' ? '' : ` --for ${place}`}`
}

/** Whether a certificate names the host, as callers verify it. */
export function isNamedBy(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined
}
