import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isSelfSigned } from '../../certificates/files/chain-order.ts'
import { hasIssued, nameOf, problemsOf } from '../../certificates/files/pem.ts'
import { isForClients } from '../../certificates/live/key-usage.ts'
import { explainListOutOfDate, newestOf } from '../../certificates/trust/revocation.ts'
import { readRevocationLists } from '../../certificates/trust/revocation-list.ts'
import { loadTrust } from '../../certificates/trust/trust.ts'
import type { Config } from '../../config/config.ts'
import { institutionsOf } from '../../config/institutions.ts'
import { ENVIRONMENTS, optionsOf, type Realm, realmOf, trustKeyOf } from '../../domain/realm.ts'
import type { Trust } from '../../domain/trust.ts'
import { COMMAND } from '../../platform/installation.ts'
import { isOfTestCa } from './certificates.ts'
import type { CheckContext } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn } from './finding.ts'
import { recentRefusals } from './refused-callbacks.ts'

const report = reportOn('trust')
const { good, warning, problem, failure } = report

const installWith = (options: string) =>
  `install the service's chain: ${COMMAND} certs trust stage FILE ${options}, then trust activate`

const INSTALL = installWith('--environment NAME')

const INSTALL_OF_ANY = installWith('--institution NAME --environment NAME')

const START_ONCE = 'start the gateway once: it creates those of a test CA'

const OR_REMOVE = 'or remove the entry of an environment that you do not use'

/** Which callers are accepted, for which environment. */
export function checkTrust(context: CheckContext): Finding[] {
  const { config, now } = context
  const { trust: entries } = config.callbacks
  const install = config.institutions.length === 0 ? INSTALL : INSTALL_OF_ANY
  if (config.mode === 'development' && entries.every(({ chain }) => !existsSync(chain)))
    return [warning('trust.missing', 'chains', 'none exist yet', START_ONCE)]
  try {
    const { trust, warnings } = loadTrust(entries, now)
    // Dates are reported below, with the expiry findings.
    const remarks = warnings.filter((text) => !/ (?:expired on|is not valid before) /.test(text))
    const certificates = trust.authorities.map((pem) => new X509Certificate(pem))
    return [
      ...realmsIn(config).flatMap((realm) => realmFindings(realm, trust, config.mode === 'development')),
      ...usageFindings(trust),
      ...revocationFindings(config, now),
      ...remarks.map((text) => warning('trust.remark', 'chains', text, install)),
      ...sharedRootFindings(trust, certificates, config),
      ...expiryFindings(certificates, { report, what: 'dates', renew: install }, context),
    ]
  } catch (error) {
    return problemsOf(error).map((text) => failure('trust.unusable', 'chains', text, `${install}; ${OR_REMOVE}`))
  }
}

function realmsIn(config: Config): Realm[] {
  return institutionsOf(config).flatMap((name) => ENVIRONMENTS.map((environment) => realmOf(name, environment)))
}

function realmFindings(realm: Realm, { issuing }: Trust, isDevelopment: boolean): Finding[] {
  const chains = issuing.filter((one) => one.environment === realm)
  // loadTrust fails where there is none at all. Many installations serve one environment only.
  if (chains.length === 0) return [good(realm, `not in ${trustKeyOf(realm)}: its callers are refused`)]
  return chains.map(({ certificate, file, mayCall }) => {
    if (isOfTestCa(certificate) && !isDevelopment) {
      const found = `${file} trusts the test CA ${nameOf(certificate)}, whose keys are on the machines of developers`
      return problem('trust.test_ca', realm, found, `remove it; ${installWith(optionsOf(realm))}`)
    }
    const itself = mayCall ? ', which may also be used as a peer certificate' : ''
    return good(realm, `callers come from ${nameOf(certificate)}${itself} (${file})`)
  })
}

/** Whether callers without client usage are accepted, and whether an installed chain issues only such certificates. */
function usageFindings({ issuing }: Trust): Finding[] {
  return issuing.flatMap(({ environment, certificate, file, verifiesWithoutUsage }) => {
    const what = 'usage of callers'
    if (verifiesWithoutUsage !== null)
      return good(what, `any for ${nameOf(certificate)} (${file}): the rules under allow decide who may call`)
    if (isForClients(certificate)) return []
    const found = `${nameOf(certificate)} (${file}) may issue for servers only: its callers are refused as wrong_usage`
    return warning('trust.caller_usage', what, found, allowAnyUsage(environment))
  })
}

const allowAnyUsage = (realm: Realm) =>
  `if the service calls with it, write usage: any and, under allow, who the service is (such as subjectAlternativeNames), beside its chain in ${trustKeyOf(realm)}`

const LATELY_MS = 7 * 86_400_000
const LOOKED_AT = 100

/** Whether callers of an installed chain were refused recently because their certificates have no client usage. */
export async function checkRefusedUsage({ config, now }: CheckContext): Promise<Finding[]> {
  const from = now.getTime() - LATELY_MS
  const refusals = await recentRefusals(config, { codes: ['wrong_usage'], from }, LOOKED_AT)
  // A refusal without an environment belongs to no installed chain.
  const newest = refusals.find(({ environment }) => environment !== null)
  if (newest?.environment === undefined || newest.environment === null) return []
  const [leaf] = newest.chain
  const who = leaf === undefined ? newest.remoteAddress : `${leaf.subject} (SHA-256 ${leaf.fingerprint})`
  const found = `${who} of an installed chain of ${newest.environment} was refused as wrong_usage in the last 7 days`
  return [warning('trust.refused_usage', 'usage of callers', found, allowAnyUsage(newest.environment))]
}

/** The revocation lists and their dates. */
function revocationFindings({ callbacks }: Config, now: Date): Finding[] {
  return callbacks.trust.flatMap(({ crl }) =>
    newestOf(crl.flatMap(readRevocationLists)).map((list) => {
      const what = 'revocation list'
      const { issuer, file, serials, nextUpdate } = list
      const next = nextUpdate === null ? 'no next update' : `next update ${new Date(nextUpdate).toISOString()}`
      const found = `of "${issuer}" (${file}): ${serials.size} revoked, ${next}`
      const outOfDate = explainListOutOfDate(list, now)
      return outOfDate === null
        ? good(what, found)
        : warning('trust.revocation_list', what, `${found}; it ${outOfDate}`, GET_LIST)
    }),
  )
}

const GET_LIST = 'get the current list from its authority and put it into the file: the gateway reads it by itself'

/** Explained, because a root shared by environments or institutions looks like a mistake. */
function sharedRootFindings({ issuing }: Trust, certificates: readonly X509Certificate[], config: Config): Finding[] {
  return certificates.filter(isSelfSigned).flatMap((root) => {
    const below = new Set(
      issuing.filter(({ certificate }) => leadsTo(root, certificate, certificates)).map((one) => one.environment),
    )
    if (below.size < 2) return []
    const isOfAll = config.institutions.length === 0
    const found = `${isOfAll ? 'both environments' : [...below].join(', ')} lead to ${nameOf(root)}; their issuing certificates tell them apart`
    return good('shared root', found)
  })
}

function leadsTo(root: X509Certificate, start: X509Certificate, all: readonly X509Certificate[]): boolean {
  const reached = new Set([start])
  // The set grows during the loop: each certificate is visited once, even in cross-signed circles.
  for (const certificate of reached) {
    if (certificate === root || certificate.fingerprint256 === root.fingerprint256) return true
    for (const issuer of all) if (hasIssued(issuer, certificate)) reached.add(issuer)
  }
  return false
}
