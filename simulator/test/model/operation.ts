import fc from 'fast-check'
import { expect } from 'vitest'
import type { Answer } from '../running.ts'
import { agreeOnEverything } from './agreement.ts'
import { plusDays } from './calendar.ts'
import type { Discount, Model } from './model.ts'
import type { Real, Step } from './step.ts'

/** A sequence of operations has a command for each; `executed` counts those of all sequences. */
export const counter = { executed: 0, names: new Map<string, number>() }

/** Comparing everything after each operation would take ten times as long. */
const EVERY = 10

class Operation<T> implements fc.AsyncCommand<Model, Real> {
  readonly name: string
  readonly input: T
  readonly #run: (step: Step, input: T) => Promise<void>
  readonly #can: (model: Model) => boolean

  constructor(name: string, input: T, can: (model: Model) => boolean, run: (step: Step, input: T) => Promise<void>) {
    this.name = name
    this.input = input
    this.#can = can
    this.#run = run
  }

  check(model: Model): boolean {
    return this.#can(model)
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.#run({ model, real }, this.input)
    counter.executed += 1
    counter.names.set(this.name, (counter.names.get(this.name) ?? 0) + 1)
    if (counter.executed % EVERY === 0) await agreeOnEverything({ model, real })
  }

  toString(): string {
    return `${this.name} ${JSON.stringify(this.input)}`
  }
}

export function operation<T>(
  name: string,
  input: fc.Arbitrary<T>,
  can: (model: Model) => boolean,
  run: (step: Step, input: T) => Promise<void>,
): fc.Arbitrary<Operation<T>> {
  return input.map((chosen) => new Operation(name, chosen, can, run))
}

export const which = fc.nat(4999)
export const cents = fc.integer({ min: 1, max: 50_000 })
export const days = fc.constantFrom(0, 0, 1, 2, 7, 30, 45)
export const path = fc.constantFrom('a', 'b', 'c', null)
export const customId = fc.constantFrom('order 1', 'order 2', 'x')
export const discount = fc.option(
  fc.record({
    type: fc.constantFrom('currency' as const, 'percentage' as const),
    value: fc.constantFrom(1, 333, 5000, 10_000),
    days: fc.constantFrom(0, 0, 1, 5, 20),
  }),
  { freq: 3 },
)
export const outcome = fc.constantFrom('paid' as const, 'paid' as const, 'unpaid' as const)

export const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T

/** An operation on one of several things: the call, whether it is accepted, and what it changes in the model. */
export interface Rules<T> {
  readonly call: (one: T) => Promise<Answer>
  readonly isAccepted: (one: T) => boolean
  readonly change: (one: T) => void
  /** Default: 412. */
  readonly refused?: number
  /** Of those that accept it, the more interesting ones. */
  readonly isPreferred?: (one: T) => boolean
}

/** Calls for one of them, and expects the answer that the rules say. @returns it */
export async function perform<T>(list: readonly T[], number: number, rules: Rules<T>): Promise<T> {
  const { call, isAccepted, change, refused = 412, isPreferred = isAccepted } = rules
  const one = pickFor(list, number, list.some(isPreferred) ? isPreferred : isAccepted)
  const accepted = isAccepted(one)
  const answer = await call(one)
  expectStatus(answer, accepted ? 200 : refused)
  if (accepted) change(one)
  return one
}

/** Mostly one that accepts the operation; the others show that it is refused. */
export function pickFor<T>(list: readonly T[], number: number, accepts: (one: T) => boolean): T {
  const accepting = list.filter(accepts)
  return pick(number % 5 === 0 || accepting.length === 0 ? list : accepting, Math.floor(number / 5))
}
export function expectStatus(answer: Answer, status: number): boolean {
  expect(answer.status, answer.text).toBe(status)
  return status < 300
}

export const urlOrNull = ({ urlOf }: Real, to: string | null) => (to === null ? null : urlOf(to))

export function discountFrom(
  { today }: Model,
  chosen: { type: Discount['type']; value: number; days: number } | null,
): Discount | null {
  if (chosen === null) return null
  return { type: chosen.type, value: chosen.value, until_date: plusDays(today, chosen.days) }
}

export const items = (value: number, amount = 1) => [{ name: 'Book', value, amount }]
