import { expect, it } from 'vitest'
import { createSite, type LogLine, spawnGateway } from '../support/gateway.ts'
import { openRawCaller } from '../support/raw-calls.ts'

const CALLBACKS = 400
/** An error that nothing catches, at a signal. */
const CRASHING = "process.on('SIGUSR2',()=>{throw%20Error('a%20fault')})"

function callback(n: number): string {
  const body = JSON.stringify({ n })
  return `POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

it('a crash is the last line of the log, behind the sum of the callbacks of the last second', async () => {
  const site = await createSite()
  const gateway = await spawnGateway(site, ['env', `NODE_OPTIONS=--import=data:text/javascript,${CRASHING}`])
  const caller = await openRawCaller({ ...gateway, site })
  for (let n = 0; n < CALLBACKS; n++) caller.send(callback(n))
  await caller.settled(CALLBACKS)
  gateway.process.kill('SIGUSR2')
  expect(await gateway.exited).toBe(1)
  expect(gateway.lines.at(-1)).toMatchObject({ level: 'error', event: 'gateway.crashed', error: 'a fault' })
  expect(loggedIn(gateway.lines)).toBe(CALLBACKS)
})

function loggedIn(lines: readonly LogLine[]): number {
  const ofEvent = (event: string) => lines.filter((line) => line.event === event)
  const summed = ofEvent('callbacks.stored').reduce((sum, line) => sum + Number(line.callbacks), 0)
  return ofEvent('callback.stored').length + summed
}
