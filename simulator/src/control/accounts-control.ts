import { accountOf, type ControlEndpoint, controlEndpoint } from '../control-api/control-endpoint.ts'
import { accountRecord, accountRecordOf } from './account-record.ts'

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
