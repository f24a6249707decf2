import { expect, it } from 'vitest'
import { createQuestionPermits } from '../../src/jobs/reconcile/permits.ts'

const REALM = 'sandbox'
const permits = () => createQuestionPermits(REALM, { takeBudget: async () => 1 }, Date.now)

it('questions of one environment begin at least 20 ms after each other, also those that wait at once', async () => {
  const { pace } = permits()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 11 }, () => pace(new AbortController().signal)))
  // A timer may end a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(198)
})

it('a gateway that stops waits for no question', async () => {
  const { pace } = permits()
  const ending = new AbortController()
  const waiting = Promise.all(Array.from({ length: 100 }, () => pace(ending.signal)))
  ending.abort()
  await waiting
})
