import { basename } from 'node:path'
import type { Config } from '../../config/config.ts'
import { findMistakes } from '../../config/load-config.ts'
import { adviceForMissing, isWithoutService } from '../../config/place.ts'
import { CHARGES_ARE_OFF } from '../../gateway/charges.ts'
import { secretFilesOf } from './configured-files.ts'
import { type Finding, reportOn, stepAfter } from './finding.ts'

const { good, note, warning, problem } = reportOn('configuration')

const ADD_CHARGES =
  'add chargeNotifications (config/portaria.yaml shows it), or remove the kind if the service sends you no charges'

/** All mistakes of the file and of its secrets, or settings that are allowed but unusual. Without a configuration nothing else can be checked. */
export function checkConfiguration(file: string): { config: Config | null; findings: Finding[] } {
  const { config, mistakes } = findMistakes(file)
  const nextStep = `correct ${file}: config/portaria.yaml explains every key`
  if (config === null)
    return {
      config,
      findings: mistakes.map((mistake) =>
        problem('configuration.invalid', 'file', mistake, stepAfter(mistake, nextStep)),
      ),
    }
  const wrong = mistakes.map((mistake) =>
    mistake.startsWith('service[')
      ? problem('service.secret_unusable', 'service', mistake, stepAfter(mistake, CORRECT_CLIENT_SECRET))
      : problem('secrets.unusable', 'secrets', mistake, stepAfter(mistake, CORRECT_SECRETS)),
  )
  const findings = wrong.length > 0 ? wrong : [good('file', `${file} is right`)]
  return {
    config,
    findings: [...findings, ...unloadedFindings(config), ...modeFindings(config), ...chargeFindings(config)],
  }
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

function modeFindings({ mode }: Config): Finding[] {
  if (mode === 'production') return [good('mode', 'production')]
  const found = 'development: missing certificates and the operator token are created at start'
  const nextStep = 'never use it on a server: write mode: production there, or leave the key out'
  return [note('mode.development', 'mode', found, nextStep)]
}

function chargeFindings({ callbacks, chargeNotifications: charges }: Config): Finding[] {
  const isWanted = callbacks.kinds.some(({ name }) => name === 'charge')
  if (charges === null)
    return isWanted ? [warning('charges.off', 'charge listener', `off: ${CHARGES_ARE_OFF}`, ADD_CHARGES)] : []
  if (charges.tls !== null) return [good('charge listener', 'on, with TLS')]
  const found = 'on, with plain http: the token in its path can be read on the way'
  return [
    warning('charges.without_tls', 'charge listener', found, 'add chargeNotifications.certificate and privateKey'),
  ]
}
