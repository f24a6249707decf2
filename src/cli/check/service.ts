import { X509Certificate } from 'node:crypto'
import { certificatesIn } from '../../certificates/files/pem.ts'
import { clientUseProblemOf } from '../../certificates/live/client-use.ts'
import { loadServiceFiles, type ServiceFiles } from '../../certificates/live/service-files.ts'
import type { Config, ServiceConfig } from '../../config/config.ts'
import { isMissingCredential } from '../../config/place.ts'
import { checkDestinationUrl, compileAddressRules } from '../../domain/address-rules.ts'
import { CHARGE_KIND } from '../../domain/kinds.ts'
import { filledIn, MANY_TOKENS, REASON_TEXTS } from '../../domain/overview/reasons.ts'
import { institutionOf, keyOf, optionsOf, trustKeyOf } from '../../domain/realm.ts'
import { SERVICE_INTERFACES, type ServiceInterface } from '../../domain/service/service-interfaces.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readIfPossible } from '../reader.ts'
import { serviceFilesOf } from './configured-files.ts'
import type { CheckContext } from './context.ts'
import { expiryFindings } from './expiry.ts'
import { type Finding, reportOn } from './finding.ts'
import { accessFindings } from './service-access.ts'

const report = reportOn('service')
const { good, warning, problem, failure } = report

/** The interfaces whose callbacks come to the callback listener. */
const CALLING: readonly ServiceInterface[] = ['registration', 'payment', 'openBanking']

/** The section `service`: its files, what its parts need of each other, and whether each interface gives a token. Nothing is changed at the service. */
export async function checkService(context: CheckContext): Promise<Finding[]> {
  const { config } = context
  if (config.service.length === 0) return []
  const entries = config.service.map((entry) => ({ entry, files: loadServiceFiles(entry) }))
  const access = context.isOffline === true ? [] : await accessFindings(context, entries)
  return [
    ...publicUrlFindings(config),
    ...[...Map.groupBy(config.service, ({ environment }) => institutionOf(environment)).values()].flatMap(
      sharedFindings,
    ),
    ...entries.flatMap(({ entry, files }, index) => [
      ...fileFindings(entry, files, context),
      ...addressFindings(entry, config),
      ...chainFindings(entry, config),
      ...tokenFindings(entry, config),
      ...(access[index] ?? []),
    ]),
  ]
}

/** Without it the commands that register do nothing. */
function publicUrlFindings({ callbacks, chargeNotifications: charges, service }: Config): Finding[] {
  const isCalled = service.some(({ baseAddresses }) => CALLING.some((name) => baseAddresses[name] !== null))
  const isNotified = service.some(({ baseAddresses }) => baseAddresses.charges !== null)
  const findings: Finding[] = []
  const add = (section: string, found: string, nextStep: string) =>
    findings.push(warning('service.public_url', `${section}.publicUrl`, `it is missing, so ${found}`, nextStep))
  if (isCalled && callbacks.publicUrl === null)
    add(
      'callbacks',
      `${COMMAND} service registers no callback URL`,
      'write the beginning of the URLs as the service calls them, such as https://hooks.example.com',
    )
  if (isNotified && charges !== null && charges.publicUrl === null)
    add(
      'chargeNotifications',
      'no notification URL is set at the service, and apps cannot route charges',
      'write the beginning of the URL as the service calls it, such as https://hooks.example.com:8444',
    )
  return findings
}

/** Credentials and addresses are those of one environment. @param entries of one institution */
function sharedFindings([first, second]: Config['service']): Finding[] {
  if (first === undefined || second === undefined) return []
  const same = SERVICE_INTERFACES.filter(
    (name) => first.baseAddresses[name] !== null && first.baseAddresses[name] === second.baseAddresses[name],
  )
  const shared = [
    ...same.map((name) => `baseAddresses.${name}`),
    ...(first.clientId === second.clientId ? ['clientId'] : []),
  ]
  const institution = institutionOf(first.environment)
  const whose = institution === null ? '' : `${institution}: `
  const found = 'it is the same in both environments, so one of them asks the wrong one'
  const nextStep = 'write that of each environment as the service gave it'
  return shared.map((key) => warning('service.environment', `${whose}${key}`, found, nextStep))
}

function fileFindings(entry: ServiceConfig, { certificate, authoritiesProblem }: ServiceFiles, context: CheckContext) {
  const what = (item: string) => `${entry.environment}: ${item}`
  const step = 'correct the file that service.authorities names: until then nothing is asked'
  const findings =
    authoritiesProblem === null
      ? []
      : [failure('service.authorities_unusable', what('authorities'), authoritiesProblem, step)]
  // The findings of the configuration name missing credentials.
  const own = serviceFilesOf(entry).filter(({ file }) => file !== entry.clientSecretFile)
  if (certificate === null || own.some(({ file }) => isMissingCredential(file))) return findings
  if (certificate.tls === null) {
    const found = certificate.problem(context.now.getTime()) ?? ''
    const step = 'install certificate and key of your account: until then the service is not called'
    return [...findings, failure('service.certificate_unusable', what('certificate'), found, step)]
  }
  return [...findings, ...certificateFindings(certificate.tls.cert, what, context)]
}

const RENEW =
  'download a new one from your account at the service and replace the files: they are taken up by themselves'

function certificateFindings(cert: string, what: (item: string) => string, context: CheckContext): Finding[] {
  const certificates = certificatesIn(cert)
  const useProblem = clientUseProblemOf(new X509Certificate(cert))
  return [
    useProblem === null
      ? good(what('certificate'), 'the key belongs to it, and it is for TLS clients')
      : problem('service.certificate_usage', what('certificate'), useProblem, RENEW),
    ...expiryFindings(certificates, { report, what: what('dates'), renew: RENEW }, context),
  ]
}

/** Names are looked up when the service is called. */
function addressFindings({ environment, baseAddresses }: ServiceConfig, { forwarding }: Config): Finding[] {
  const rules = compileAddressRules(forwarding.allowedNetworks)
  return SERVICE_INTERFACES.flatMap((name) => {
    const address = baseAddresses[name]
    try {
      if (address !== null) checkDestinationUrl(address, rules)
      return []
    } catch (error) {
      if (!(error instanceof PortariaError)) throw error
      return [problem('service.address', `${environment}: ${name}`, messageOf(error), ALLOW)]
    }
  })
}

const ALLOW =
  'correct service.baseAddresses; for a service of your own network add it to forwarding.allowedNetworks, for a simulator on this machine "loopback"'

/** Callers of an environment without a chain are refused. */
function chainFindings({ environment, baseAddresses }: ServiceConfig, { callbacks }: Config): Finding[] {
  const isCalled = CALLING.some((name) => baseAddresses[name] !== null)
  if (!isCalled || callbacks.trust.some((one) => one.environment === environment)) return []
  const key = trustKeyOf(environment)
  const found = `${key} has no chain for ${environment}: the gateway refuses its callbacks`
  const step = `add an entry to ${key} and install the chain: ${COMMAND} certs trust stage FILE ${optionsOf(environment)}`
  return [warning('service.chain', `${environment}: chain`, found, step)]
}

/** Tokens come to the charge listener, as callbacks of kind charge. */
function tokenFindings({ environment, resolveTokens }: ServiceConfig, config: Config): Finding[] {
  if (!resolveTokens) return []
  const what = `${environment}: tokens`
  const { chargeNotifications: charges, callbacks } = config
  const institution = institutionOf(environment)
  const [kinds, path] = [keyOf(institution, 'kinds'), `/${institution ?? 'callbacks'}`]
  const lack = !callbacks.kinds.some((kind) => kind.institution === institution && kind.name === CHARGE_KIND)
    ? [`${kinds} has no kind charge`, `add \`charge: { path: ${path}/charge }\``]
    : charges === null
      ? ['there is no charge listener', 'add chargeNotifications (config/portaria.yaml shows it)']
      : charges.tokens.every((one) => one.environment !== environment)
        ? [`chargeNotifications.tokens has none of ${environment}`, `add an entry for ${environment}`]
        : null
  if (lack === null) return [good(what, 'charge notifications that are only a token are resolved')]
  const found = `resolveTokens is on, but ${lack[0]}: no charge notification arrives`
  return [warning('service.tokens', what, found, `${lack[1]}, or write resolveTokens: false`)]
}

/** Environments in which many charge tokens wait, with the limit and the words of the overview. */
export async function checkWaitingTokens(config: Config): Promise<Finding[]> {
  const { text, nextStep } = REASON_TEXTS.tokens_many
  const backlogs = await readIfPossible(config, [], (reader) => reader.countWaitingTokens())
  return backlogs
    .filter(({ waiting }) => waiting > MANY_TOKENS)
    .map(({ environment, waiting }) => {
      const found = filledIn(text, { subject: environment, value: waiting, detail: null, until: null })
      return warning('tokens_many', `${environment}: waiting tokens`, found, nextStep)
    })
}
