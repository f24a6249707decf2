import { chargeProblem } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import type { Plan } from './plan.ts'

const FIRST_ID = 10_001

export function createPlan(site: Site, parts: Pick<Plan, 'account' | 'name' | 'interval' | 'repeats'>): Plan {
  const id = site.records.nextNumber(`${site.environment}.plans`, FIRST_ID)
  const plan = { id, ...parts, createdAt: site.clock.now(), isDeleted: false }
  plansOf(site).put(id, plan)
  return plan
}

/** Deleted ones too. */
export function findPlan(site: Site, id: number): Plan {
  const plan = plansOf(site).get(id)
  if (plan === undefined) throw new Error(`unreachable: plan ${id} is not there`)
  return plan
}

/** The plans of an account that were not deleted, in the order of their creation. */
export function listPlans(site: Site, account: string): readonly Plan[] {
  return plansOf(site)
    .list()
    .filter((plan) => plan.account === account && !plan.isDeleted)
}

/** @throws ServiceError 404 for a deleted one and for another account's too */
export function requirePlan(site: Site, account: string, id: string | undefined): Plan {
  const plan = plansOf(site).get(id ?? '')
  if (plan?.account !== account || plan.isDeleted) throw chargeProblem(404, 'not_found', 'O plano não existe.')
  return plan
}

export function changePlan(site: Site, plan: Plan, changes: Partial<Pick<Plan, 'name' | 'isDeleted'>>): void {
  plansOf(site).put(plan.id, { ...plan, ...changes })
}

function plansOf(site: Site) {
  return site.collection<Plan>('plans')
}
