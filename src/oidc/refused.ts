import type { Log } from '../platform/log.ts'
import { createSecretCleaner } from '../platform/secret-cleaner.ts'
import { ProviderRefused, reasonOf } from './failure.ts'
import { formOf, valuesAt } from './rights.ts'
import type { Claims, OidcSettings } from './settings.ts'

/**
 * `begun`: this browser did not begin it, or it is over. `provider`: the provider refused the person. `gateway`: it refuses this
 * gateway, and so each person. `answer`: its answer is not valid. `role`: no role matches.
 */
export type RefusalReason = 'begun' | 'provider' | 'gateway' | 'answer' | 'role'

/** Of a sign-in, or of a refresh. */
export interface SignInRefused {
  readonly reason: RefusalReason
  readonly client?: string
  readonly error?: unknown
  /** What the provider says of a person without a role. */
  readonly claims?: Claims
}

export function reasonFor(error: unknown): 'provider' | 'gateway' | 'answer' {
  if (!(error instanceof ProviderRefused) || error.code === null) return 'answer'
  return error.isOfGateway ? 'gateway' : 'provider'
}

const MOST_VALUES = 20
const LONGEST_VALUE = 100
/** The log knows people by the hash of their subject alone. */
const NAMES_OF_PEOPLE = ['sub', 'name', 'preferred_username', 'email', 'upn']

/** Writes what went wrong into the log. @param takeLine null: too many lines */
export function createSignInLog(settings: OidcSettings, takeLine: () => object | null, log: Log) {
  const { issuer } = settings
  return {
    onUnreachable(error: unknown, client: string | null = null): void {
      const line = takeLine()
      if (line !== null) log.warn({ issuer, client, error: reasonOf(error), hint: REACH, ...line }, 'oidc.unreachable')
    },
    onRefused(refused: SignInRefused): void {
      const line = takeLine()
      if (line !== null) log.warn({ ...factsOf(refused, settings), ...line }, 'oidc.sign_in_refused')
    },
  }
}

const REACH =
  'people can sign in with the id and secret of a client; check api.oidc.issuer and authorities with: portaria check'

/** Without secrets. */
function factsOf(
  { reason, client, error, claims }: SignInRefused,
  settings: Pick<OidcSettings, 'claim' | 'clientSecret'>,
) {
  return {
    reason,
    client: client ?? null,
    ...(error !== undefined && { error: reasonOf(error) }),
    ...(claims !== undefined && { ...claimFacts(claims, settings), hint: GIVE_ROLE }),
    ...(reason === 'gateway' && { hint: CORRECT_SECRET }),
  }
}

const GIVE_ROLE =
  'compare the claim and its values with claim and roles of api.oidc, letter by letter; a claim that did not come needs another of api.oidc.scopes, or a mapper at the provider'
const CORRECT_SECRET =
  'no person can sign in: correct api.oidc.clientId, or write a secret that counts at the provider into the file of api.oidc.clientSecretFile, then restart the gateway'

function claimFacts(claims: Claims, { claim, clientSecret }: Pick<OidcSettings, 'claim' | 'clientSecret'>) {
  const came = formOf(claims, claim)
  const values = valuesAt(claims, claim) ?? []
  if (NAMES_OF_PEOPLE.includes(claim)) return { claim, came }
  const clean = createSecretCleaner([clientSecret])
  const shown = values.slice(0, MOST_VALUES).map((one) => clean(one).toWellFormed().slice(0, LONGEST_VALUE))
  return { claim, came, values: shown }
}
