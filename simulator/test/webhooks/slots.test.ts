import { expect, it } from 'vitest'
import { createSlots } from '../../src/webhooks/slots.ts'

it('at most so many calls run at the same time, and the others follow in their order, after a failure too', async () => {
  const inSlot = createSlots(2)
  const begun: number[] = []
  let running = 0
  let most = 0
  const calls = [0, 1, 2, 3, 4].map((number) =>
    inSlot(async () => {
      begun.push(number)
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (number === 1) throw new Error('failed')
      return number
    }),
  )
  const results = await Promise.allSettled(calls)
  expect(results.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  ])
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2])
})
