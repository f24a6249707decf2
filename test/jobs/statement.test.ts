import { expect, it } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import type { Pass } from '../../src/jobs/reconcile/pass.ts'
import { createQuestionPermits } from '../../src/jobs/reconcile/permits.ts'
import { startProgress } from '../../src/jobs/reconcile/progress.ts'
import { compareStatements } from '../../src/jobs/reconcile/statement.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'
import { openTestStore } from '../support/store.ts'

const DAY = 86_400_000
const REFUND = '"devolucoes":[{"id":"d1","status":"DEVOLVIDO"}]'

function call(store: Store, id: string, receivedAt: number, { more = '', subject = id } = {}) {
  const text = `{"pix":[{"endToEndId":"${id}","txid":"t","valor":"10.00"${more && `,${more}`}}]}`
  return store.storeCallback(aCallback({ kind: 'pix', text, receivedAt, facts: [aFact({ kind: 'pix', subject })] }))
}

/** How many payments are unknown, where the statement of yesterday has so many. */
async function unknownOf(store: Store, counted: number): Promise<number> {
  const environment = 'production'
  const progress = startProgress(environment)
  const pass = {
    environment,
    store,
    progress,
    now: () => NOON,
    dueBy: NOON,
    isDryRun: false,
    signal: new AbortController().signal,
    stopped: new Set(),
    permits: createQuestionPermits(environment, store, () => NOON),
    questions: { received: async () => ({ answer: counted }) },
    days: { first: '2026-01-14', last: '2026-01-15' },
  } as unknown as Pass
  await compareStatements(pass, 'pix', null)
  return progress.unnamed
}

it('a payment and its refund are one payment: another one that never came is unknown', async () => {
  const store = await openTestStore()
  await call(store, 'E1', NOON - DAY)
  await call(store, 'E1', NOON - DAY + 1, { more: REFUND })
  expect(await unknownOf(store, 2)).toBe(1)
  await call(store, 'E2', NOON - DAY + 2)
  expect(await unknownOf(store, 2)).toBe(0)
})

it('the refund of a payment of an earlier day is no payment of its day', async () => {
  const store = await openTestStore()
  await call(store, 'E1', NOON - 5 * DAY)
  await call(store, 'E1', NOON - DAY, { more: REFUND })
  expect(await unknownOf(store, 1)).toBe(1)
})

it('two payments of one charge are two, where its id is the subject of both', async () => {
  const store = await openTestStore()
  for (const [index, id] of ['E0', 'E1', 'E2'].entries())
    await call(store, id, NOON - DAY - (index === 0 ? DAY : 0), { subject: 't' })
  expect(await unknownOf(store, 2)).toBe(0)
})
