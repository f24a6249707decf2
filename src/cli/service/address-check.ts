import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readCertificates } from '../../certificates/files/pem.ts'
import { activeFilesOf } from '../../certificates/trust/chain-folder.ts'
import type { Config } from '../../config/config.ts'
import { institutionOf, optionsOf, type Realm, trustKeyOf } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { isOfTestCa } from '../check/certificates.ts'
import { type Finding, markAccepted } from '../check/finding.ts'
import { checkOutside } from '../check/outside.ts'
import { type OutsideFlags, outsideOptions } from '../check.ts'

/** Options of `check --url` that the commands take too. */
export type AddressFlags = Omit<OutsideFlags, 'url'>

type CheckOptions = AddressFlags & { readonly realm: Realm }

/**
 * The checks of `portaria check --url`, before the service makes its own. Returns the warnings, as texts.
 * @throws PortariaError `trust_missing`, `conflict` with the problems, and `request_invalid` as `check`
 */
export async function checkAddress(config: Config, url: string, flags: CheckOptions): Promise<readonly string[]> {
  requireInstalledChain(config, flags.realm)
  const options = await outsideOptions({ ...flags, url }, config, () => institutionOf(flags.realm))
  if (options === null) throw new Error('unreachable: there is a URL')
  const authorities = options.authorities?.map((pem) => new X509Certificate(pem)) ?? null
  const context = { config, now: new Date(), days: null, authorities, progress: () => undefined, isQuiet: true }
  const { findings } = await checkOutside(context, options)
  const open = markAccepted(findings, config.check.accepted).filter(({ accepted }) => accepted === null)
  const problems = open.filter(({ level }) => level === 'problem')
  if (problems.length === 0) return open.filter(({ level }) => level === 'warning').map(textOf)
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  throw new PortariaError('conflict', `the check of ${url} found ${count}: nothing was changed at the service`, {
    details: problems.map(textOf),
  })
}

function textOf({ what, found, nextStep, code }: Finding): string {
  return `${what}: ${found} → ${nextStep} (${code})`
}

/**
 * The gateway refuses the callbacks of an environment without a chain. The test CA of a development gateway is not the service's.
 * @throws PortariaError `trust_missing`
 */
function requireInstalledChain({ callbacks }: Config, realm: Realm): void {
  const files = callbacks.trust
    .filter((entry) => entry.environment === realm)
    .flatMap(({ chain }) => activeFilesOf(chain))
    .filter((file) => existsSync(file))
  const certificates = files.flatMap((file) => readCertificates(file, trustKeyOf(realm)))
  if (certificates.some((certificate) => !isOfTestCa(new X509Certificate(certificate.raw)))) return
  throw new PortariaError(
    'trust_missing',
    `no chain of the service is installed for ${realm}: the gateway would refuse its callbacks. Install it first: ` +
      `${COMMAND} certs trust stage FILE ${optionsOf(realm)}, then certs trust activate`,
  )
}
