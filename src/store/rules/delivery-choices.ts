import { DELIVERY_CHOICES, type DeliveryChoice } from '../../domain/delivery.ts'

/** Of a row of deliveries. An attempt that failed always has an error, and one that delivered has none. */
export const IS_FAILING = `state = 'pending' and last_error is not null`

/** Conditions on a row of deliveries, one for each state, or two: each has the words of a partial index. */
export const CHOSEN: Readonly<Record<DeliveryChoice, readonly string[]>> = {
  pending: [`state = 'pending'`],
  failing: [IS_FAILING],
  waiting: [`state = 'pending' and last_error is null`, `order_key is not null and state = 'blocked'`],
  blocked: [`order_key is not null and state = 'blocked'`],
  delivered: [`state = 'delivered'`],
  exhausted: [`state in ('exhausted', 'canceled') and state = 'exhausted'`],
  canceled: [`state in ('exhausted', 'canceled') and state = 'canceled'`],
}

/** Whether a row is any of them. @param row its name, such as `d` */
export function isAnyOf(choices: readonly DeliveryChoice[], row: string): string {
  // In one order: a statement is prepared for each text.
  const conditions = DELIVERY_CHOICES.filter((one) => choices.includes(one)).flatMap((choice) => CHOSEN[choice])
  const named = conditions.map((one) => one.replaceAll(/\b(state|last_error|order_key)\b/g, `${row}.$1`))
  return `(${[...new Set(named)].map((one) => `(${one})`).join(' or ') || 'false'})`
}
