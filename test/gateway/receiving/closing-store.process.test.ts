import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { callApi } from '../../support/calls.ts'
import { countStored, startTestGateway } from '../../support/gateway.ts'
import { openRawCaller, rawCallback } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const CALLBACKS = 200
const WAITING = `\nportaria_writer_waiting_events ${CALLBACKS}\n`

it('what the closing store still stores, after the grace period of requests, is in the log, too', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  // The writer waits for this transaction, at most 5 s.
  const other = new Database(join(gateway.site.folder, 'data/portaria.db'))
  onTestFinished(() => void other.close())
  other.exec('begin immediate')
  for (let n = 0; n < CALLBACKS; n++) caller.send(rawCallback(`{"n":${n}}`))
  await until(async () => (await callApi(gateway.api, '/metrics')).body.includes(WAITING))
  const stopped = gateway.stop()
  // The end of the grace period.
  await caller.closed()
  other.exec('rollback')
  await stopped
  expect(countStored(gateway.lines)).toBe(other.prepare('select count(*) from callbacks').pluck().get())
})
