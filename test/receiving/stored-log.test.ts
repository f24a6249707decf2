import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createStoredLog, type StoredLine } from '../../src/receiving/stored-log.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'

const LINE: StoredLine = {
  ...{ kind: 'payment', environment: 'production', listener: 'callbacks', target: undefined, mark: null },
  ...{ events: ['evt_1_0123456789'], duplicates: 0, quarantined: undefined, deliveries: 2 },
  ...{ bytes: 10, durationMs: 1, remoteAddress: '192.0.2.1' },
}
const HELD: StoredLine = { ...LINE, events: [], quarantined: ['qtn_1', 'qtn_2'], deliveries: 0 }

it('each callback has a line, and one of which something is held back a warning, up to 100 a second; then a batch has one', async () => {
  const lines: LogLine[] = []
  const logStored = createStoredLog(recordingLog(lines), () => 5000)
  logStored(HELD, ['account_foreign'])
  for (let n = 0; n < 101; n++) logStored(LINE, [])
  logStored(HELD, ['account_foreign'])
  await turn()
  const named = (event: string) => lines.filter((line) => line.event === event)
  expect(named('callback.stored')).toHaveLength(100)
  expect(named('callback.quarantined')).toMatchObject([
    { level: 'warn', kind: 'payment', reasons: ['account_foreign'], quarantined: ['qtn_1', 'qtn_2'] },
  ])
  expect(named('callbacks.stored')).toMatchObject([{ callbacks: 3, events: 2, quarantined: 2, deliveries: 4 }])
  expect(named('callbacks.quarantined')).toMatchObject([{ level: 'warn', quarantined: 2 }])
})

it('nothing is warned about where nothing is held back', async () => {
  const lines: LogLine[] = []
  const logStored = createStoredLog(recordingLog(lines), () => 5000)
  for (let n = 0; n < 102; n++) logStored(LINE, [])
  await turn()
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})
