import type { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isSelfSigned, orderChain, publicRootOf } from '../../certificates/files/chain-order.ts'
import { hasIssued, issuerNameOf, nameOf, problemsOf, readCertificates } from '../../certificates/files/pem.ts'
import { clientUseProblemOf } from '../../certificates/live/client-use.ts'
import { namesOf, usesOf } from '../../certificates/live/describe-certificate.ts'
import { loadServerCertificate } from '../../certificates/live/server-certificate.ts'
import { loadClientTrust } from '../../certificates/trust/client-trust.ts'
import { isMissingCredential } from '../../config/place.ts'
import { hostOf } from '../../domain/address-rules.ts'
import { COMMAND } from '../../platform/installation.ts'
import { ownCertificatesOf, type ServerKeyPair } from './configured-files.ts'
import type { CheckContext } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn, stepAfter } from './finding.ts'
import { isNamedBy } from './host-name.ts'

const report = reportOn('certificates')
const { good, warning, problem } = report

/** Our own certificates, as in their files. @param url the public address: the callback certificate must name its host */
export function checkCertificates(context: CheckContext, url: URL | null): Finding[] {
  const findings = ownCertificatesOf(context.config).flatMap((pair) => certificateFindings(pair, context, url))
  return [...findings, ...clientTrustFindings(context)]
}

/** The CA certificates for clients of the API. */
function clientTrustFindings({ config, now }: CheckContext): Finding[] {
  const { clientCa } = config.api
  if (clientCa === null) return []
  const what = 'api: authorities of clients'
  try {
    const { value, warnings } = loadClientTrust(clientCa, now)
    if (warnings.length > 0)
      return warnings.map((text) => warning('client_ca.dates', what, text, 'put the current ones there'))
    return [good(what, `${value.length} in ${clientCa}`)]
  } catch (error) {
    return problemsOf(error).map((text) =>
      problem('client_ca.unusable', what, text, stepAfter(text, 'correct the file that api.clientCa names')),
    )
  }
}

function certificateFindings(pair: ServerKeyPair, context: CheckContext, url: URL | null): Finding[] {
  const { section, certificate, privateKey } = pair
  const what = (item: string) => `${section}: ${item}`
  // The findings of the configuration name them.
  if ([certificate, privateKey].some(isMissingCredential)) return []
  if (context.config.mode === 'development' && !existsSync(certificate) && !existsSync(privateKey))
    return [
      warning(
        'certificate.missing',
        what('key and chain'),
        `${certificate} does not exist yet`,
        'start the gateway once: it creates one',
      ),
    ]
  try {
    loadServerCertificate(pair, context.now, section)
  } catch (error) {
    return problemsOf(error).map((text) =>
      problem('certificate.unusable', what('key and chain'), text, stepAfter(text, installWith(section))),
    )
  }
  const certificates = readCertificates(certificate, `${section}.certificate`)
  const [leaf] = certificates
  if (leaf === undefined) throw new TypeError('unreachable: a file without a certificate is a problem')
  return [
    good(what('key and chain'), 'the key belongs to the certificate, and the chain is in order'),
    ...(pair.isSeenByService ? chainFindings(certificates, what, context) : []),
    usageFinding(leaf, pair, what('usage')),
    ...(pair.usage === 'server' ? [nameFinding(leaf, what('names'), section === 'callbacks' ? url : null)] : []),
    ...expiryFindings(
      certificates,
      { report, what: what('dates'), renew: renewWith(section), file: certificate },
      context,
    ),
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
  if (isSelfSigned(leaf))
    return [
      problem(
        'certificate.authority',
        what('authority'),
        `${nameOf(leaf)} is self-signed: no caller trusts it`,
        GET_PUBLIC,
      ),
    ]
  const { chain, root, withoutIssuer } = orderChain(leaf, certificates, now)
  const trusted = chain.map((one) => trustedIssuerOf(one, authorities)).find((authority) => authority !== null)
  if (trusted !== undefined) return [good(what('authority'), `complete, up to ${nameOf(trusted)}, which callers trust`)]
  const last = chain.at(-1) ?? leaf
  if (isOfTestCa(last)) {
    const found = `${issuerNameOf(last)} is a test CA: only this machine trusts it`
    const level = config.mode === 'development' ? note : problem
    return [level('certificate.authority', what('authority'), found, GET_PUBLIC)]
  }
  if (root !== null)
    return [
      problem('certificate.authority', what('authority'), `callers do not know its root ${nameOf(root)}`, GET_PUBLIC),
    ]
  const missing = withoutIssuer ?? last
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
  return problem(
    'certificate.usage',
    what,
    found,
    `have one issued with that extended key usage: ${installWith(section)}`,
  )
}

function nameFinding(leaf: X509Certificate, what: string, url: URL | null): Finding {
  const names = namesOf(leaf)
  if (names.length === 0)
    return problem(
      'certificate.names',
      what,
      `${nameOf(leaf)} names no host: callers refuse it`,
      'have one issued for your host name',
    )
  const found = `names ${names.join(', ')}`
  if (url === null || isNamedBy(leaf, hostOf(url))) return good(what, found)
  const nextStep = `have one issued for ${hostOf(url)}: ${COMMAND} certs csr --name ${hostOf(url)} …`
  return problem('certificate.names', what, `${found}, not ${hostOf(url)}`, nextStep)
}

const GET_PUBLIC = `get one from a public authority (${COMMAND} certs csr, then certs import); if the service trusts this one, name its root with --ca FILE`

const ADD_INTERMEDIATE = `add the intermediate certificate (${COMMAND} certs import CERTIFICATE INTERMEDIATE); if the service trusts a private authority, name it with --ca FILE`

function installWith(section: string): string {
  const place = configuredPlace(section)
  return `${COMMAND} certs import CERTIFICATE CHAIN --key KEY${place === 'callbacks' ? '' : ` --for ${place}`}`
}

function renewWith(section: string): string {
  return `renew it, then ${installWith(section)}`
}

function configuredPlace(section: string): string {
  return section.split('.')[0] ?? section
}
