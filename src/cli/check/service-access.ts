import type { ServiceFiles } from '../../certificates/live/service-files.ts'
import type { ConfigWithServiceSecrets, ServiceConfig } from '../../config/config.ts'
import type { FindingCode } from '../../config/finding-codes.ts'
import { loadWithServiceSecrets } from '../../config/load-config.ts'
import {
  asksForCertificate,
  SERVICE_INTERFACES,
  type ServiceInterface,
} from '../../domain/service/service-interfaces.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { ServiceClient } from '../../service/client.ts'
import { ServiceFailure, type ServiceFailureCode } from '../../service/failure.ts'
import { withServiceClient } from '../service/connection.ts'
import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, problem } = reportOn('service')

/** `check` is to be quick: the limits are those of each interface, with all repetitions. */
const LIMITS = { timeoutMs: 10_000, callTimeoutMs: 10_000, retryMs: 50 }

interface Entry {
  readonly entry: ServiceConfig
  readonly files: ServiceFiles
}

/** For each entry, whether its interfaces give a token: all of them at the same time. What its files and secret forbid is left out. */
export async function accessFindings({ config, now, progress }: CheckContext, entries: readonly Entry[]) {
  const secrets = secretsOf(config.file)
  if (secrets === null) return []
  progress('asking the service for tokens')
  return Promise.all(
    entries.map(({ entry, files }) => {
      const isUsable = (name: ServiceInterface) =>
        !asksForCertificate(name) || files.certificate?.problem(now.getTime()) === null
      const names = SERVICE_INTERFACES.filter((name) => entry.baseAddresses[name] !== null && isUsable(name))
      if (files.authoritiesProblem !== null) return []
      const signIn = (client: ServiceClient) => Promise.all(names.map((name) => signInTo(client, name)))
      return withServiceClient(secrets, entry.environment, signIn, LIMITS)
    }),
  )
}

/** null: one of them cannot be read, which the findings of the configuration say. */
function secretsOf(file: string): ConfigWithServiceSecrets | null {
  try {
    return loadWithServiceSecrets(file)
  } catch (error) {
    if (error instanceof PortariaError) return null
    throw error
  }
}

async function signInTo(client: ServiceClient, name: ServiceInterface): Promise<Finding> {
  const what = `${client.environment}: ${name}`
  try {
    await client.signIn(name)
    return good(what, 'gave an access token')
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error
    return problem(codeOf(error.code), what, error.message, STEPS[codeOf(error.code)])
  }
}

type AccessCode = Extract<
  FindingCode,
  'service.credentials_refused' | 'service.certificate_refused' | 'service.unreachable'
>

function codeOf(code: ServiceFailureCode): AccessCode {
  if (code === 'credentials_refused' || code === 'certificate_refused') return `service.${code}`
  return 'service.unreachable'
}

const STEPS: Readonly<Record<AccessCode, string>> = {
  'service.credentials_refused':
    'copy clientId and clientSecret of this environment from your account at the service; those of the other environment are refused',
  'service.certificate_refused':
    'install the certificate that your account has in this environment, or a new one if it was revoked or is of the other environment',
  'service.unreachable':
    'correct service.baseAddresses or service.authorities, or repair the network: charge tokens wait meanwhile',
}
