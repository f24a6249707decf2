import { expect, it } from 'vitest'
import { aRefusal } from '../../support/builders.ts'
import { openTestStore } from '../../support/store.ts'

it('what refusals took up is written again before the database grows', async () => {
  const store = await openTestStore()
  const refusals = Array.from({ length: 200 }, () => aRefusal({ detail: 'x'.repeat(1000) }))
  await store.recordRefusals({ refusals, probes: [] })
  const before = await store.reusableBytes()
  await store.dropRefusals(200)
  const freed = (await store.reusableBytes()) - before
  expect(freed).toBeGreaterThan(150_000)
  await store.recordRefusals({ refusals, probes: [] })
  expect((await store.reusableBytes()) - before).toBeLessThan(freed / 2)
})
