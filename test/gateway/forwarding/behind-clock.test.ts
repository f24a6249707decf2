import { expect, it, onTestFinished, vi } from 'vitest'
import { callApi, callBack } from '../../support/calls.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const HOUR_MS = 3_600_000

interface Delivery {
  readonly state: string
  readonly attempts: number
  readonly lastStatus: number | null
  readonly nextAttemptAt: string | null
}

it('under a clock that is a month behind, a retry waits as long as its schedule says, and the signature has the time that it should be', async () => {
  const since = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const gateway = await startTestGateway()
  const receiver = await startReceiver()
  receiver.answer(400)
  const body = { url: receiver.url, name: 'books', scheduleMs: [0, HOUR_MS] }
  expect((await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })).status).toBe(201)
  vi.setSystemTime(since - 30 * 24 * HOUR_MS)
  await callBack(gateway, { body: '{"n":1}' })
  const list = async () =>
    (JSON.parse((await callApi(gateway.api, '/v1/deliveries')).body) as { data: Delivery[] }).data
  const [delivery] = await until(list, ([only]) => only?.lastStatus === 400)
  expect(delivery).toMatchObject({ state: 'pending', attempts: 1 })
  // The jitter is a fifth at most.
  expect(Date.parse(delivery?.nextAttemptAt ?? '')).toBeGreaterThan(since + 0.75 * HOUR_MS)
  expect(Number(receiver.received[0]?.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(Math.floor(since / 1000))
})
