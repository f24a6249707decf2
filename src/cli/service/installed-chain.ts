import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readCertificates } from '../../certificates/files/pem.ts'
import { activeFilesOf } from '../../certificates/trust/chain-folder.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/event.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { isOfTestCa } from '../check/certificates.ts'

/**
 * The gateway refuses the callbacks of an environment without a chain. The test CA of a development gateway is not the service's.
 * @throws PortariaError `trust_missing`
 */
export function requireInstalledChain({ callbacks }: Config, environment: Environment): void {
  const files = callbacks.trust
    .filter((entry) => entry.environment === environment)
    .flatMap(({ chain }) => activeFilesOf(chain))
    .filter((file) => existsSync(file))
  const certificates = files.flatMap((file) => readCertificates(file, 'callbacks.trust'))
  if (certificates.some((certificate) => !isOfTestCa(new X509Certificate(certificate.raw)))) return
  throw new PortariaError(
    'trust_missing',
    `no chain of the service is installed for ${environment}: the gateway would refuse its callbacks. Install it first: ` +
      `${COMMAND} certs trust stage FILE --environment ${environment}, then certs trust activate`,
  )
}
