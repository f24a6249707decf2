import { beforeEach, expect, it, vi } from 'vitest'
import { createAttemptLog } from '../../src/delivery/attempt-log.ts'
import type { AttemptOutcome } from '../../src/domain/delivery.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { aDelivery, aDestination } from './receiver.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 5000 })
  return () => vi.useRealTimers()
})

const DESTINATION = aDestination('http://127.0.0.1/hook')
const DELIVERED: AttemptOutcome = {
  deliveryId: 10,
  attempt: 1,
  startedAt: 5000,
  durationMs: 3,
  status: 200,
  error: null,
  answer: Buffer.from('ok'),
  result: { state: 'delivered' },
}
const FAILED: AttemptOutcome = {
  ...DELIVERED,
  status: 503,
  error: 'answered HTTP 503',
  result: { state: 'pending', at: 6000, retriesUsed: 1 },
}

function start() {
  const lines: LogLine[] = []
  const log = createAttemptLog(recordingLog(lines), Date.now)
  const attempt = (outcome: AttemptOutcome) => log.attempted(aDelivery(), DESTINATION, outcome)
  return { log, attempt, named: (event: string) => lines.filter((line) => line.event === event) }
}

it('each attempt has a line; of those that succeed beyond 100 in a second one line tells, a second later', () => {
  const { attempt, named } = start()
  for (let n = 0; n < 100; n++) attempt(DELIVERED)
  for (const durationMs of [7, 30, 8]) attempt({ ...DELIVERED, durationMs })
  vi.advanceTimersByTime(999)
  expect(named('delivery.attempted')).toHaveLength(100)
  expect(named('deliveries.attempted')).toEqual([])
  vi.advanceTimersByTime(1)
  expect(named('deliveries.attempted')).toMatchObject([
    { level: 'info', destination: 'shop', deliveries: 3, slowestMs: 30 },
  ])
  attempt(DELIVERED)
  vi.advanceTimersByTime(5000)
  expect(named('delivery.attempted')).toHaveLength(101)
  expect(named('deliveries.attempted')).toHaveLength(1)
})

it('each that fails has a line, however many there are', () => {
  const { attempt, named } = start()
  for (let n = 0; n < 150; n++) attempt(DELIVERED)
  for (let n = 0; n < 150; n++) attempt(FAILED)
  attempt({ ...FAILED, result: { state: 'exhausted', reason: 'the schedule is used up' } })
  expect(named('delivery.attempted').filter(({ level }) => level === 'warn')).toHaveLength(150)
  expect(named('delivery.exhausted')).toMatchObject([{ level: 'error', reason: 'the schedule is used up' }])
})

it('what is summed is reported at the end, once', () => {
  const { log, attempt, named } = start()
  for (let n = 0; n < 102; n++) attempt(DELIVERED)
  log.flush()
  expect(named('deliveries.attempted')).toMatchObject([{ deliveries: 2 }])
  vi.advanceTimersByTime(5000)
  log.flush()
  expect(named('deliveries.attempted')).toHaveLength(1)
})
