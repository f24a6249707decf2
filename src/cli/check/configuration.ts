import { basename } from 'node:path'
import { TRAITS_LIMIT } from '../../api/http/filter-hint.ts'
import type { ChargeNotificationsConfig, Config } from '../../config/config.ts'
import { findMistakes } from '../../config/load-config.ts'
import { adviceForMissing, isWithoutService } from '../../config/place.ts'
import { networksOfEverybody } from '../../domain/address-rules.ts'
import { PAYMENT_KINDS } from '../../domain/kinds.ts'
import { institutionOf, keyOf } from '../../domain/realm.ts'
import { CHARGES_ARE_OFF, institutionsWithoutCharges } from '../../gateway/charges.ts'
import { readIfPossible } from '../reader.ts'
import { secretFilesOf } from './configured-files.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, note, warning, failure } = reportOn('configuration')

const ADD_CHARGES =
  'add chargeNotifications (config/portaria.yaml shows it), or remove the kind if the service sends you no charges'

/** All mistakes of the file and of its secrets, or settings that are allowed but unusual. Without a configuration nothing else can be checked. */
export function checkConfiguration(file: string): { config: Config | null; findings: Finding[] } {
  const { config, mistakes } = findMistakes(file)
  const nextStep = `correct ${file}: config/portaria.yaml explains every key`
  if (config === null)
    return { config, findings: mistakes.map((text) => failure('configuration.invalid', 'file', text, nextStep)) }
  const wrong = mistakes.map((text) =>
    /^(?:institutions\[\d+\]\.)?service\[/.test(text)
      ? failure('service.secret_unusable', 'service', text, CORRECT_CLIENT_SECRET)
      : failure('secrets.unusable', 'secrets', text, CORRECT_SECRETS),
  )
  const findings = wrong.length > 0 ? wrong : [good('file', `${file} is right`)]
  findings.push(...unloadedFindings(config), modeFinding(config), ...proxyFindings(config), ...chargeFindings(config))
  return { config, findings }
}

const CORRECT_SECRETS = 'correct it: until then the gateway does not start, and a reload changes nothing'

const CORRECT_CLIENT_SECRET = 'correct it: until then the service is not called; receiving and forwarding go on'

/** Credentials of a service that does not run: nothing is known about them. */
function unloadedFindings(config: Config): Finding[] {
  return secretFilesOf(config)
    .filter(({ file }) => isWithoutService(file))
    .map(({ name, file }) =>
      warning('secrets.not_checked', name, `credential ${basename(file)} is not checked`, adviceForMissing(file)),
    )
}

function modeFinding({ mode }: Config): Finding {
  if (mode === 'production') return good('mode', 'production')
  const found = 'development: missing certificates and the operator token are created at start'
  const nextStep = 'never use it on a server: write mode: production there, or leave the key out'
  return note('mode.development', 'mode', found, nextStep)
}

/** A PROXY header from anywhere makes the address of a caller whatever the caller writes. */
function proxyFindings({ callbacks, chargeNotifications, api }: Config): Finding[] {
  return Object.entries({ callbacks, chargeNotifications, api }).flatMap(([name, listener]) => {
    const everybody = networksOfEverybody(listener?.proxyProtocol ?? [])
    if (everybody.length === 0) return []
    return [
      warning(
        'listener.proxy_everybody',
        name,
        `proxyProtocol has ${everybody.join(', ')}: ${ANY_PROXY}`,
        NAME_PROXIES,
      ),
    ]
  })
}

const ANY_PROXY = 'every caller can claim any address, and no limit or list of addresses holds'
const NAME_PROXIES = 'write the addresses of your load balancers alone'

function chargeFindings(config: Config): Finding[] {
  const { chargeNotifications: charges } = config
  const off = institutionsWithoutCharges(config).map((name) =>
    warning('charges.off', `charge listener${ofInstitution(name)}`, `off: ${CHARGES_ARE_OFF}`, ADD_CHARGES),
  )
  return charges === null ? off : [...off, tlsFinding(charges), ...pathTokenFindings(charges)]
}

function ofInstitution(name: string | null): string {
  return name === null ? '' : ` of ${name}`
}

function tlsFinding({ tls }: ChargeNotificationsConfig): Finding {
  if (tls !== null) return good('charge listener', 'on, with TLS')
  const found = 'on, with plain http: the token in its path can be read on the way'
  return warning('charges.without_tls', 'charge listener', found, 'add chargeNotifications.certificate and privateKey')
}

function pathTokenFindings({ pathTokens, allowedAddresses }: ChargeNotificationsConfig): Finding[] {
  const from = allowedAddresses.length === 0 ? 'any address' : allowedAddresses.join(', ')
  const found = `taken from ${from} without a client certificate: a callback proves of its caller only that it knows the secret of the URL`
  const kinds = pathTokens.map(({ kind, environment }) => `${kind}${ofInstitution(institutionOf(environment))}`)
  return [...new Set(kinds)].map((kind) => warning('charges.path_tokens', `path tokens of ${kind}`, found, WEAKER))
}

const WEAKER =
  'remove chargeNotifications.pathTokens where the service can use mutual TLS; else limit allowedAddresses, write authentication: mutual-tls at destinations that must not get such events, and accept this finding'

/**
 * Whether payments of other people's accounts would be taken for the operator's own. Only once payments come: until then nothing is at risk, and
 * the accounts are a step of NEXT-STEPS.md.
 */
export async function checkAccounts(config: Config): Promise<Finding[]> {
  const { mode, callbacks } = config
  const payments = callbacks.kinds.filter(({ name }) => PAYMENT_KINDS.includes(name))
  if (payments.length === 0 || mode === 'development') return []
  const isOpen = payments.some(({ accounts }) => accounts.length === 0)
  const traits = isOpen ? await readIfPossible(config, [], (reader) => reader.listEventTraits(0, TRAITS_LIMIT)) : []
  return payments.flatMap(({ institution, name, accounts }) => {
    const what = `accounts${ofInstitution(institution)}`
    if (accounts.length > 0) return [good(what, 'payments about other accounts are quarantined')]
    const hasCome = traits.some((one) => one.kind === name && institutionOf(one.environment) === institution)
    const step = `name your accounts or keys in ${keyOf(institution, 'kinds')}.${name}.accounts.allow (config/portaria.yaml shows it), and restart`
    return hasCome ? [warning('accounts.any', what, ANY_ACCOUNT, step)] : []
  })
}

const ANY_ACCOUNT =
  'payments are accepted for every account: any customer of the institution may register your URL, with a valid certificate of the service'
