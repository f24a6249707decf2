import type { Account } from '../applications.ts'
import type { Site } from '../site.ts'
import { acceptOpening, accountsOfHolder, type Decision, type Opening, refuseOpening } from './openings.ts'

export const DECISIONS = ['new_account', 'application', 'secondary_account'] as const

/** What the end client chose. Without `as`: a new account, or a secondary one where an account is there already. */
export interface Choice {
  readonly as?: (typeof DECISIONS)[number] | undefined
  /** Number of the account in which the application is made; left out: the only one. */
  readonly account?: string | undefined
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

function answeredAlready({ state }: Opening): AnswerOutcome {
  return { ok: false, status: 409, reason: `the end client has answered already: the opening is ${state}` }
}

/** @returns the decision, or why the choice is not possible */
function decisionOf(site: Site, opening: Opening, choice: Choice): Decision | string {
  const accounts = accountsOfHolder(site, opening)
  const { as = accounts.length === 0 ? 'new_account' : 'secondary_account' } = choice
  if (as === 'application') return applicationIn(choice, accounts)
  if (choice.account !== undefined) return `account is chosen for an application: ${as} has an account of its own`
  if (as === 'new_account' && accounts.length > 0)
    return 'the end client has an account already: choose application or secondary_account'
  if (as === 'secondary_account' && accounts.length === 0)
    return 'the end client has no account yet: choose new_account'
  return { as }
}

/** Its scopes are those of the request: the integrator defines them (Document 1), and changes them later in the application's settings. */
function applicationIn({ account: chosen }: Choice, accounts: readonly Account[]): Decision | string {
  const numbers = accounts.map(({ number }) => number)
  const account = chosen ?? (numbers.length === 1 ? numbers[0] : undefined)
  if (account === undefined || !numbers.includes(account))
    return `name an account of the end client (${numbers.join(', ') || 'there is none'})`
  return { as: 'application', account }
}
