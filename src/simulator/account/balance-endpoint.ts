import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { booleanText } from '../http/query.ts'
import { decimalOf } from '../rules/money.ts'
import type { Site } from '../site.ts'
import { balanceOf } from './ledger.ts'

const amount = z.string().regex(/^\d+\.\d{2}$/)

const balanceSchema = z.object({
  saldo: amount,
  bloqueios: z.object({ judicial: amount, med: amount, total: amount }).optional(),
})

/** No amount of an account is ever blocked. */
const NOTHING_BLOCKED = { judicial: decimalOf(0), med: decimalOf(0), total: decimalOf(0) }

/** Balance of the account: Document 1, endpoint 4. */
export function balanceEndpoint(site: Site): Endpoint {
  return endpoint({
    number: '1:4',
    id: 'showBalance',
    method: 'get',
    path: '/v2/svc/saldo',
    scope: 'svc.balance.read',
    summary: 'Show the balance, and on request the blocked amounts',
    query: z.object({ bloqueios: booleanText.optional() }),
    answers: { 200: { description: 'The balance', schema: balanceSchema } },
    run({ query, application }) {
      const saldo = decimalOf(balanceOf(site, application.account))
      return { status: 200, json: { saldo, ...(query.bloqueios === true && { bloqueios: NOTHING_BLOCKED }) } }
    },
  })
}
