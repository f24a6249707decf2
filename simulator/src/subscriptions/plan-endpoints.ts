import { codeSchema, dataOf } from '../charges/answers.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Site } from '../site.ts'
import * as answers from './answers.ts'
import { changePlan, createPlan, listPlans, requirePlan } from './plans.ts'
import * as schema from './schema.ts'

const UNKNOWN = { 404: { description: 'No plan of the account has this id' } }

/** Plans: Document 2, endpoints 5 to 8. */
export function planEndpoints(site: Site): Endpoint[] {
  return [
    endpoint({
      number: '2:5',
      id: 'createPlan',
      method: 'post',
      path: '/v1/plan',
      scope: null,
      summary: 'Create a plan',
      body: schema.planBody,
      answers: { 200: { description: 'The plan', schema: dataOf(answers.planSchema) } },
      run({ body, application: { account } }) {
        const plan = createPlan(site, { account, ...body })
        return { status: 200, json: { code: 200, data: answers.planView(site, plan) } }
      },
    }),
    endpoint({
      number: '2:6',
      id: 'listPlans',
      method: 'get',
      path: '/v1/plans',
      scope: null,
      summary: 'List the plans, oldest first; without parameters all of them',
      query: schema.plansQuery,
      answers: { 200: { description: 'The plans', schema: dataOf(answers.plansSchema) } },
      run({ query: { name = '', limit, offset = '0' }, application: { account } }) {
        const found = listPlans(site, account).filter((plan) => plan.name.toLowerCase().includes(name.toLowerCase()))
        const first = Number(offset)
        const page = found.slice(first, limit === undefined ? undefined : first + Number(limit))
        return { status: 200, json: { code: 200, data: page.map((plan) => answers.planInListView(site, plan)) } }
      },
    }),
    endpoint({
      number: '2:7',
      id: 'updatePlan',
      method: 'put',
      path: '/v1/plan/:id',
      scope: null,
      summary: 'Rename a plan',
      body: schema.planNameBody,
      answers: { 200: { description: 'Renamed', schema: codeSchema }, ...UNKNOWN },
      run({ params, body, application: { account } }) {
        changePlan(site, requirePlan(site, account, params.id), body)
        return { status: 200, json: { code: 200 } }
      },
    }),
    endpoint({
      number: '2:8',
      id: 'deletePlan',
      method: 'delete',
      path: '/v1/plan/:id',
      scope: null,
      summary: 'Delete a plan; its subscriptions generate no more charges',
      answers: { 200: { description: 'Deleted', schema: codeSchema }, ...UNKNOWN },
      run({ params, application: { account } }) {
        changePlan(site, requirePlan(site, account, params.id), { isDeleted: true })
        return { status: 200, json: { code: 200 } }
      },
    }),
  ]
}
