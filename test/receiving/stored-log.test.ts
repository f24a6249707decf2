import { expect, it, onTestFinished, vi } from 'vitest'
import { createStoredLog } from '../../src/receiving/stored-log.ts'
import { aReceivedCallback } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'

const stored = { callbackId: 1, eventIds: ['evt_1_0123456789'], duplicates: 0, destinationIds: [1], blocked: 1 }
const LOGGED = { callback: aReceivedCallback(), stored, durationMs: 1, answeredAt: 5000 }
const quarantine = { quarantineIds: ['qtn_1', 'qtn_2'], quarantineReasons: ['account_foreign' as const] }
const HELD = { ...LOGGED, stored: { callbackId: 2, eventIds: [], duplicates: 0, destinationIds: [], ...quarantine } }

it('each callback has a line, and one of which something is held back a warning, up to 100 a second; the others share one', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: LogLine[] = []
  const storedLog = createStoredLog(recordingLog(lines))
  storedLog.stored(HELD)
  for (let n = 0; n < 101; n++) storedLog.stored(LOGGED)
  storedLog.stored(HELD)
  vi.advanceTimersByTime(1000)
  const named = (event: string) => lines.filter((line) => line.event === event)
  expect(named('callback.stored')).toHaveLength(100)
  expect(named('callback.quarantined')).toMatchObject([
    { level: 'warn', kind: 'payment', reasons: ['account_foreign'], quarantined: ['qtn_1', 'qtn_2'] },
  ])
  expect(named('callbacks.stored')).toEqual([
    {
      level: 'info',
      event: 'callbacks.stored',
      callbacks: 3,
      events: 2,
      duplicates: 0,
      tokens: undefined,
      quarantined: 2,
      deliveries: 4,
      bytes: 3 * LOGGED.callback.body.length,
      slowestMs: 1,
    },
  ])
  expect(named('callbacks.quarantined')).toMatchObject([{ level: 'warn', quarantined: 2 }])
})

it('the target is in the line of a charge callback alone, where its token is shortened: a query may have personal data', () => {
  const lines: LogLine[] = []
  const storedLog = createStoredLog(recordingLog(lines))
  const target = '/callbacks/payment?cpf=12345678901'
  for (const listener of ['callbacks', 'charges'] as const)
    storedLog.stored({ ...LOGGED, callback: aReceivedCallback({ listener, target }) })
  expect(lines.map((line) => line.target)).toEqual([undefined, target])
})

it('nothing is warned about where nothing is held back, and the sums are logged at the end at the latest', () => {
  const lines: LogLine[] = []
  const storedLog = createStoredLog(recordingLog(lines))
  for (let n = 0; n < 102; n++) storedLog.stored(LOGGED)
  storedLog.flush()
  storedLog.flush()
  expect(lines.filter(({ event }) => event === 'callbacks.stored')).toMatchObject([{ callbacks: 2 }])
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})
