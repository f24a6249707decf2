import { accountRecord, accountRecordOf } from '../account/account-record.ts'
import type { Account } from '../applications.ts'
import type { Site } from '../site.ts'
import { type ControlCall, type ControlEndpoint, ControlError, controlEndpoint } from './control-endpoint.ts'

/** Accounts with all that belongs to them. */
export function accountsControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'showAccount',
      method: 'get',
      path: '/accounts/:number',
      summary:
        'Show an account with its balance, certificates, applications and webhooks, and what comes next and when',
      answers: {
        200: { description: 'The account', schema: accountRecord },
        404: { description: 'No account has this number' },
      },
      run: ({ site, params }) => ({ status: 200, json: accountRecordOf(site, accountOf(site, params)) }),
    }),
  ]
}

/** @param number with or without its digit, as 200001 and 200001-7 @throws ControlError 404 */
export function accountOf({ applications, environment }: Site, { number = '' }: ControlCall['params']): Account {
  const accounts = applications.accounts()
  const found = accounts.find((account) => number === account.number || number === `${account.number}-${account.digit}`)
  if (found !== undefined) return found
  const known = accounts.map((account) => account.number).join(', ')
  throw new ControlError(404, `no account ${number} in ${environment}: there are ${known}`)
}
