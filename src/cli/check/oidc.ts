import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning } = reportOn('listeners')

/** Whether the OpenID provider of `api.oidc` answers as one. Its client secret is not sent. */
export async function checkOidc({ config, isOffline, progress }: CheckContext): Promise<Finding[]> {
  const { oidc } = config.api
  if (oidc === null || isOffline === true) return []
  progress(`asking ${oidc.issuer} for its metadata`)
  const { createProvider } = await import('../../oidc/provider.ts')
  const { reasonOf } = await import('../../oidc/failure.ts')
  const provider = createProvider({ ...oidc, clientSecret: '' }, Date.now)
  try {
    await provider.discover()
    return [good('api.oidc', `${oidc.issuer} answers as an OpenID provider`)]
  } catch (error) {
    const found = `${oidc.issuer} gives no metadata: ${reasonOf(error)}`
    return [warning('oidc.unreachable', 'api.oidc', found, NEXT_STEP)]
  } finally {
    await provider.close()
  }
}

const NEXT_STEP =
  'until it does, people sign in with the id and secret of a client; compare issuer with what the provider names, and authorities with its CA'
