import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('listeners')

/** Whether the OpenID provider of `api.oidc` answers as one, and can end sessions here. Its client secret is not sent. */
export async function checkOidc({ config, isOffline, progress }: CheckContext): Promise<Finding[]> {
  const { oidc, clientCertificates } = config.api
  if (oidc === null) return []
  const needed = clientCertificates === 'required' ? [CERTIFICATE] : []
  if (isOffline === true) return needed
  progress(`asking ${oidc.issuer} for its metadata`)
  const { createProvider } = await import('../../oidc/provider.ts')
  const { reasonOf } = await import('../../oidc/failure.ts')
  const provider = createProvider({ ...oidc, clientSecret: '' }, Date.now)
  try {
    await provider.discover()
    return [good('api.oidc', `${oidc.issuer} answers as an OpenID provider`), ...needed]
  } catch (error) {
    const found = `${oidc.issuer} gives no metadata: ${reasonOf(error)}`
    return [warning('oidc.unreachable', 'api.oidc', found, NEXT_STEP), ...needed]
  } finally {
    await provider.close()
  }
}

const NEXT_STEP =
  'until it does, people sign in with the id and secret of a client; compare issuer with what the provider names, and authorities with its CA'

const CERTIFICATE = warning(
  'oidc.logout_certificate',
  'api.clientCertificates',
  'required also holds for /ui/oidc/logout, where the provider ends sessions: it needs a client certificate',
  'give the provider one of a CA in api.clientCa, or write optional; without it a session ends only when the provider refuses a refresh',
)
