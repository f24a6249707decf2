import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isSelfSigned } from '../../certificates/chain-order.ts'
import { hasIssued, nameOf, problemsOf } from '../../certificates/pem.ts'
import { loadTrust } from '../../certificates/trust.ts'
import { ENVIRONMENTS } from '../../domain/event.ts'
import type { IssuingCertificate, Trust } from '../../domain/trust.ts'
import { isLaboratory } from './certificates.ts'
import type { CheckContext } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn } from './finding.ts'

const report = reportOn('trust')
const { good, warning, problem } = report

const INSTALL = "install the service's chain: portaria certs trust stage FILE --environment NAME, then trust activate"

/** Who is let in, and as what. */
export function checkTrust(context: CheckContext): Finding[] {
  const { config, now } = context
  const { trust: entries } = config.callbacks
  if (config.mode === 'development' && entries.every(({ chain }) => !existsSync(chain)))
    return [warning('chains', 'not there yet', 'start the gateway once: it makes those of a laboratory service')]
  try {
    const { trust, warnings } = loadTrust(entries, now)
    // Dates are told below, with what ends soon.
    const remarks = warnings.filter((text) => !/ (?:expired on|is not valid before) /.test(text))
    const certificates = trust.authorities.map((pem) => new X509Certificate(pem))
    return [
      ...ENVIRONMENTS.flatMap((environment) => environmentFindings(environment, trust, config.mode === 'development')),
      ...remarks.map((text) => warning('chains', text, INSTALL)),
      ...sharedRootFindings(trust, certificates),
      ...expiryFindings(certificates, { report, what: 'dates', renew: INSTALL }, context),
    ]
  } catch (error) {
    return problemsOf(error).map((text) => problem('chains', text, INSTALL))
  }
}

function environmentFindings(
  environment: IssuingCertificate['environment'],
  { issuing }: Trust,
  isDevelopment: boolean,
): Finding[] {
  const own = issuing.filter((one) => one.environment === environment)
  if (own.length === 0) {
    const found = 'no chain is installed: its callers are refused'
    return [warning(environment, found, `add it under callbacks.trust; ${INSTALL}`)]
  }
  return own.map(({ certificate, file }) => {
    if (isLaboratory(certificate) && !isDevelopment) {
      const found = `${file} trusts the laboratory's ${nameOf(certificate)}, whose callers' keys stand on developers' machines`
      return problem(environment, found, `remove it; ${INSTALL}`)
    }
    return good(environment, `callers come from ${nameOf(certificate)} (${file})`)
  })
}

/** Whoever thinks of trust by roots would take this for a mistake. */
function sharedRootFindings({ issuing }: Trust, certificates: readonly X509Certificate[]): Finding[] {
  return certificates.filter(isSelfSigned).flatMap((root) => {
    const below = new Set(
      issuing.filter(({ certificate }) => leadsTo(root, certificate, certificates)).map((one) => one.environment),
    )
    if (below.size < 2) return []
    const found = `both environments lead to ${nameOf(root)}; their issuing certificates tell them apart`
    return good('shared root', found)
  })
}

function leadsTo(root: X509Certificate, start: X509Certificate, all: readonly X509Certificate[]): boolean {
  const reached = new Set([start])
  // A set grows while it is walked: each certificate is visited once, cross-signed circles included.
  for (const certificate of reached) {
    if (certificate === root || certificate.fingerprint256 === root.fingerprint256) return true
    for (const issuer of all) if (hasIssued(issuer, certificate)) reached.add(issuer)
  }
  return false
}
