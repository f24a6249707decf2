import { expect, it } from 'vitest'
import { startTestGateway } from '../../support/gateway.ts'
import { openRawCaller } from '../../support/raw-calls.ts'

const CALLBACKS = 400
const HEAD = 'POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\n'

it('every stored callback is in the log once the gateway has stopped, alone or in a line with others', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  for (let n = 0; n < CALLBACKS; n++) caller.send(`${HEAD}Content-Length: 9\r\n\r\n${JSON.stringify({ n: 100 + n })}`)
  await caller.settled(CALLBACKS)
  caller.destroy()
  await gateway.stop()
  const ofEvent = (event: string) => gateway.lines.filter((line) => line.event === event)
  const summed = ofEvent('callbacks.stored').reduce((sum, line) => sum + Number(line.callbacks), 0)
  expect(ofEvent('callback.stored').length + summed).toBe(CALLBACKS)
})
