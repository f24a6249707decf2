import { expect, it } from 'vitest'
import { countStored, createSite, spawnGateway } from '../support/gateway.ts'
import { openRawCaller, rawCallback } from '../support/raw-calls.ts'

const CALLBACKS = 400
/** An error that nothing catches, at a signal. */
const CRASHING = "process.on('SIGUSR2',()=>{throw%20Error('a%20fault')})"

it('a crash is the last line of the log, behind the sum of the callbacks of the last second', async () => {
  const site = await createSite()
  const gateway = await spawnGateway(site, ['env', `NODE_OPTIONS=--import=data:text/javascript,${CRASHING}`])
  const caller = await openRawCaller({ ...gateway, site })
  for (let n = 0; n < CALLBACKS; n++) caller.send(rawCallback(`{"n":${n}}`))
  await caller.settled(CALLBACKS)
  gateway.process.kill('SIGUSR2')
  expect(await gateway.exited).toBe(1)
  expect(gateway.lines.at(-1)).toMatchObject({ level: 'error', event: 'gateway.crashed', error: 'a fault' })
  expect(countStored(gateway.lines)).toBe(CALLBACKS)
})
