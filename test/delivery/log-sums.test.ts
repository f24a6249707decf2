import { expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { answered, startDispatching } from './dispatching.ts'

const ATTEMPTS = 150

it('sums of all destinations are logged where the process ends without a stop', async () => {
  let sent = 0
  const t = await startDispatching({
    async send() {
      sent++
      return answered(200)
    },
  })
  for (const name of ['books', 'stock']) await t.addDestination('http://127.0.0.1:1/', { name, concurrency: 16 })
  await t.receive(Array.from({ length: ATTEMPTS }, (_, n) => `${n}`))
  await until(() => sent === 2 * ATTEMPTS)
  t.dispatcher.logSums()
  const summed = t.linesOf('deliveries.attempted').reduce((sum, line) => sum + Number(line.deliveries), 0)
  expect(t.linesOf('delivery.attempted').length + summed).toBe(2 * ATTEMPTS)
})
