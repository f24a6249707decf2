import { dataOf } from '../charges/answers.ts'
import { todayOf } from '../charges/charges.ts'
import { billetChoiceOf, chargePartsOf } from '../charges/requests.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Site } from '../site.ts'
import * as answers from './answers.ts'
import { createCarnet, requireCarnet } from './carnets.ts'
import { carnetBody } from './schema.ts'

/** Carnets (service-decisions.md, Document 2, the rest). */
export function carnetEndpoints(site: Site): Endpoint[] {
  return [
    endpoint({
      number: null,
      id: 'createCarnet',
      method: 'post',
      path: '/v1/carnet',
      scope: null,
      summary: 'Create a carnet: a billet a month for one customer',
      body: carnetBody,
      answers: { 200: { description: 'The carnet with its parcels', schema: dataOf(answers.createdSchema) } },
      run({ body, application }) {
        const { repeats, split_items: isSplit, items, metadata } = body
        const { shippings, ...parts } = chargePartsOf(site, application, { items, metadata })
        const choice = billetChoiceOf(body, {}, todayOf(site), '/expire_at')
        const carnet = createCarnet(site, { ...parts, repeats, isSplit, choice })
        return { status: 200, json: { code: 200, data: answers.createdView(site, carnet) } }
      },
    }),
    endpoint({
      number: null,
      id: 'showCarnet',
      method: 'get',
      path: '/v1/carnet/:id',
      scope: null,
      summary: 'Show a carnet with its parcels and its history',
      answers: {
        200: { description: 'The carnet', schema: dataOf(answers.carnetSchema) },
        404: { description: 'No carnet of the account has this id' },
      },
      run({ params, application }) {
        const carnet = requireCarnet(site, application.account, params.id)
        return { status: 200, json: { code: 200, data: answers.carnetView(site, carnet) } }
      },
    }),
  ]
}
