import { z } from 'zod'
import { balanceOf, setBalance } from '../account/ledger.ts'
import type { Site } from '../site.ts'
import { type ControlEndpoint, ControlError, controlEndpoint } from './control-endpoint.ts'

const balanceSchema = z.strictObject({ balance: z.int().min(0).describe('In cents') })

/** Balances of accounts, from which bills are paid. */
export function balanceControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'showBalance',
      method: 'get',
      path: '/accounts/:number/balance',
      summary: 'Show the balance of an account',
      answers: { 200: { description: 'The balance', schema: balanceSchema }, 404: { description: 'No such account' } },
      run: ({ site, params }) => ({ status: 200, json: { balance: balanceOf(site, requireAccount(site, params)) } }),
    }),
    controlEndpoint({
      id: 'setBalance',
      method: 'put',
      path: '/accounts/:number/balance',
      summary: 'Set the balance of an account',
      body: balanceSchema,
      answers: { 200: { description: 'The balance', schema: balanceSchema }, 404: { description: 'No such account' } },
      run({ site, params, body: { balance } }) {
        setBalance(site, requireAccount(site, params), balance)
        return { status: 200, json: { balance } }
      },
    }),
  ]
}

function requireAccount(
  { applications, environment }: Site,
  { number = '' }: Readonly<Record<string, string>>,
): string {
  const accounts = applications.accounts().map((account) => account.number)
  if (accounts.includes(number)) return number
  throw new ControlError(404, `no account ${number} in ${environment}: there are ${accounts.join(', ')}`)
}
