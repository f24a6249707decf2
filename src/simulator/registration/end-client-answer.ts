import type { Account } from '../applications.ts'
import { withSegment } from '../http/path-segment.ts'
import type { Site } from '../site.ts'
import { GRANTABLE_SCOPES } from './opening-schema.ts'
import { acceptOpening, accountsOfHolder, type Decision, type Opening, refuseOpening } from './openings.ts'

export const DECISIONS = ['new_account', 'application', 'secondary_account'] as const

/** What the end client chose. Without `as`: a new account, or a secondary one where an account is there already. */
export interface Choice {
  readonly as?: (typeof DECISIONS)[number] | undefined
  /** Number of the account in which the application is made; left out: the only one. */
  readonly account?: string | undefined
  /** Of the application; left out: those of the request. */
  readonly scopes?: readonly string[] | undefined
}

export type AnswerOutcome = { readonly ok: true } | { readonly ok: false; readonly status: 400 | 409; reason: string }

/** The end client accepts, on its page or by the control API. */
export function accept(site: Site, opening: Opening, choice: Choice): AnswerOutcome {
  if (opening.state !== 'requested') return answeredAlready(opening)
  const decision = decisionOf(site, opening, choice)
  if (typeof decision === 'string') return { ok: false, status: 400, reason: decision }
  acceptOpening(site, opening, decision)
  return { ok: true }
}

/** The end client refuses, on its page or by the control API. */
export function refuse(site: Site, opening: Opening): AnswerOutcome {
  if (opening.state !== 'requested') return answeredAlready(opening)
  refuseOpening(site, opening)
  return { ok: true }
}

/** The scopes that the end client can choose for an application: all that the integrator may be granted. */
export function scopesToChoose({ applications, settings }: Site, { integrator }: Opening): string[] {
  const own = applications.list().filter(({ account }) => account === integrator)
  const grantable = GRANTABLE_SCOPES.map((scope) => withSegment(scope, settings.servicePathSegment))
  return grantable.filter((scope) => own.some((application) => applications.scopesOf(application).includes(scope)))
}

function answeredAlready({ state }: Opening): AnswerOutcome {
  return { ok: false, status: 409, reason: `the end client has answered already: the opening is ${state}` }
}

/** @returns the decision, or why the choice is not possible */
function decisionOf(site: Site, opening: Opening, choice: Choice): Decision | string {
  const accounts = accountsOfHolder(site, opening)
  const { as = accounts.length === 0 ? 'new_account' : 'secondary_account' } = choice
  if (as === 'application') return applicationIn(site, opening, choice, accounts)
  if (choice.account !== undefined || choice.scopes !== undefined)
    return `account and scopes are chosen for an application: ${as} has the settings of the request`
  if (as === 'new_account' && accounts.length > 0)
    return 'the end client has an account already: choose application or secondary_account'
  if (as === 'secondary_account' && accounts.length === 0)
    return 'the end client has no account yet: choose new_account'
  return { as }
}

function applicationIn(site: Site, opening: Opening, choice: Choice, accounts: readonly Account[]): Decision | string {
  const { account = accounts.length === 1 ? accounts[0]?.number : undefined, scopes = opening.scopes } = choice
  const numbers = accounts.map(({ number }) => number)
  if (account === undefined || !numbers.includes(account))
    return `name an account of the end client (${numbers.join(', ') || 'there is none'})`
  const possible = scopesToChoose(site, opening)
  const foreign = scopes.filter((scope) => !possible.includes(scope))
  if (foreign.length > 0) return `the integrator cannot be granted ${foreign.join(', ')}`
  if (scopes.length === 0) return 'choose at least one scope'
  return { as: 'application', account, scopes: [...new Set(scopes)] }
}
