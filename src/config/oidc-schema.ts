import { z } from 'zod'
import { ENVIRONMENTS } from '../domain/realm.ts'
import { opensBothEnvironments, PAGE_SCOPES, type Scope } from '../domain/scopes.ts'
import { similarWord } from '../platform/suggestion.ts'
import { environment, field, text } from './fields.ts'
import type { Named } from './named.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

const ISSUER_FORM = 'the issuer as the provider writes it, such as https://login.example.com/realms/team'

/** OpenID Connect Discovery 1.0, section 3: compared with what the provider says, so it stays as written. */
const issuer = text(ISSUER_FORM, (value) => {
  const url = /^[!-~]+$/.test(value) ? URL.parse(value) : null
  if (url === null) return `must be ${ISSUER_FORM}`
  if (url.protocol !== 'https:') return 'must begin with https://'
  return /[?#@]/.test(value) ? 'must have no query, no fragment and no credentials' : null
})

const pageScope = field<Scope>('a scope such as events.read', (value) => {
  const scope = PAGE_SCOPES.find((one) => one === value)
  if (scope !== undefined) return { value: scope }
  const likely = typeof value === 'string' ? similarWord(value, PAGE_SCOPES) : null
  const advice = likely === null ? '' : `; did you mean "${likely}"?`
  return { problem: `must be one of ${PAGE_SCOPES.join(', ')}${advice}` }
})

/** RFC 6749 section 3.3. */
const requestedScope = text('a scope such as openid', (value) =>
  /^[!#-[\]-~]+$/.test(value) ? null : 'must be a scope of OAuth: without spaces and quotes',
)

/** The section `api.oidc`. */
export function oidcSchema(files: FileFields) {
  return z.strictObject({
    issuer,
    clientId: text('the client id that the provider issued', (value) =>
      /^[ -~]+$/.test(value) ? null : 'must be the client id as the provider issued it',
    ),
    clientSecretFile: files.providerSecret,
    /** null: the public authorities. */
    authorities: files.authorities.optional(),
    /** Of the authorization request. */
    scopes: z
      .array(requestedScope)
      .refine(
        (scopes) => scopes.includes('openid'),
        'must have openid: without it the provider says nothing of the person',
      )
      .prefault(['openid', 'profile']),
    /** Name of the claim with a person's roles, or its path. */
    claim: text('the name of a claim, such as groups').prefault('groups'),
    roles: z
      .array(
        z
          .strictObject({
            value: text('a value of the claim'),
            scopes: z.array(pageScope).min(1, 'must have at least one scope'),
            environments: z
              .array(environment)
              .min(1, 'must name an environment')
              .prefault([...ENVIRONMENTS]),
          })
          .superRefine(...reportOn(checkEnvironments)),
      )
      .min(1, 'must have at least one role: without one every person is refused'),
  })
}

function checkEnvironments(role: unknown, report: ReportProblem): void {
  const [scopes, environments] = [at(role, 'scopes'), at(role, 'environments')]
  if (!Array.isArray(scopes) || !Array.isArray(environments) || !opensBothEnvironments(scopes)) return
  if (!ENVIRONMENTS.every((one) => environments.includes(one)))
    report(['environments'], 'must be both, or left out: operations.read and operations.write open both environments')
}

export function toOidc({ clientSecretFile, ...settings }: Named<z.output<ReturnType<typeof oidcSchema>>>) {
  const { file, secret } = clientSecretFile
  return { ...settings, clientSecretFile: file, clientSecret: secret ?? '' }
}
