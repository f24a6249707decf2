import fc from 'fast-check'
import { ACCOUNT } from './account-operations.ts'
import { learnCharges } from './agreement.ts'
import { BILLS, STEP } from './bill-operations.ts'
import { CHARGES } from './charge-operations.ts'
import type { Model } from './model.ts'
import { operation } from './operation.ts'
import type { Real } from './step.ts'
import { CARNETS, PLANS, SUBSCRIPTIONS } from './subscription-operations.ts'

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const seconds = fc.constantFrom('3s', '5s', '30s', '30s', '90s')
const more = fc.constantFrom('10m', '3h', '11h', '1d', '1d', '2d', '7d')
const months = fc.constantFrom('31d', '31d', '31d', '95d', '200d')

const CLOCK = operation(
  'advance',
  fc.oneof(seconds, seconds, more, months),
  () => true,
  async ({ model, real }, by) => {
    await real.client.advance(by)
    model.advance(Number(by.slice(0, -1)) * UNITS[by.slice(-1) as keyof typeof UNITS])
    await learnCharges({ model, real })
  },
)

/** Each group of operations is as frequent as its weight says. */
export const operations: fc.Arbitrary<fc.AsyncCommand<Model, Real>> = fc.oneof(
  { weight: 18, arbitrary: fc.oneof(...CHARGES) },
  { weight: 3, arbitrary: PLANS },
  { weight: 7, arbitrary: SUBSCRIPTIONS },
  { weight: 1, arbitrary: CARNETS },
  { weight: 14, arbitrary: BILLS },
  { weight: 2, arbitrary: fc.oneof(...ACCOUNT) },
  { weight: 7, arbitrary: CLOCK },
  { weight: 9, arbitrary: STEP },
)
