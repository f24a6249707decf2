import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load-config.ts'
import { CHARGES_ARE_OFF } from '../../gateway/charges.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('configuration')

const ADD_CHARGES =
  'add chargeNotifications (config/portaria.yaml shows it), or remove the kind if the service sends you no charges'

/** All mistakes of the file, or settings that are allowed but unusual. Without a configuration nothing else can be checked. */
export function checkConfiguration(file: string): { config: Config | null; findings: Finding[] } {
  try {
    const config = loadConfig(file)
    return { config, findings: [good('file', `${file} is right`), ...modeFindings(config), ...chargeFindings(config)] }
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    const mistakes = error.details.length > 0 ? error.details : [error.message]
    const nextStep = `correct ${file}: config/portaria.yaml explains every key`
    return { config: null, findings: mistakes.map((mistake) => problem('file', mistake, nextStep)) }
  }
}

function modeFindings({ mode }: Config): Finding[] {
  if (mode === 'production') return [good('mode', 'production')]
  const found = 'development: missing certificates and the operator token are created at start'
  return [warning('mode', found, 'never use it on a server: write mode: production there, or leave the key out')]
}

function chargeFindings({ callbacks, chargeNotifications: charges }: Config): Finding[] {
  const isWanted = callbacks.kinds.some(({ name }) => name === 'charge')
  if (charges === null) return isWanted ? [warning('charge listener', `off: ${CHARGES_ARE_OFF}`, ADD_CHARGES)] : []
  if (charges.tls !== null) return [good('charge listener', 'on, with TLS')]
  const found = 'on, with plain http: the token in its path can be read on the way'
  return [warning('charge listener', found, 'add chargeNotifications.certificate and privateKey')]
}
