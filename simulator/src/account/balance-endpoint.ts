import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { booleanText } from '../http/query.ts'
import { decimalOf } from '../rules/money.ts'
import type { Site } from '../site.ts'
import { balanceOf, blocksOf } from './ledger.ts'

const amount = z.string().regex(/^\d+\.\d{2}$/)

const balanceSchema = z.object({
  saldo: amount,
  bloqueios: z.object({ judicial: amount, med: amount, total: amount }).optional(),
})

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
      if (query.bloqueios !== true) return { status: 200, json: { saldo } }
      const { judicial, med } = blocksOf(site, application.account)
      const bloqueios = { judicial: decimalOf(judicial), med: decimalOf(med), total: decimalOf(judicial + med) }
      return { status: 200, json: { saldo, bloqueios } }
    },
  })
}
