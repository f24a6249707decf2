import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { startTestGateway } from '../../support/gateway.ts'
import { openRawCaller } from '../../support/raw-calls.ts'

const CALLBACKS = 200

function callback(n: number): string {
  const body = JSON.stringify({ n })
  return `POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

it('what the closing store still stores, after the grace period of requests, is in the log, too', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  // The writer waits for this transaction, at most 5 s.
  const other = new Database(join(gateway.site.folder, 'data/portaria.db'))
  onTestFinished(() => void other.close())
  other.exec('begin immediate')
  for (let n = 0; n < CALLBACKS; n++) caller.send(callback(n))
  await wait(300)
  const stopped = gateway.stop()
  await wait(4300)
  other.exec('rollback')
  await stopped
  const logged = gateway.lines.filter(({ event }) => event === 'callback.stored').length
  const summed = gateway.lines.reduce(
    (sum, line) => sum + Number(line.event === 'callbacks.stored' && line.callbacks),
    0,
  )
  expect(logged + summed).toBe(other.prepare('select count(*) from callbacks').pluck().get())
})
