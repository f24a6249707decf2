import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { openRawCaller } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const CALLBACKS = 400

function callback(n: number): string {
  const body = JSON.stringify({ n })
  return `POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

it('every stored callback is in the log once the gateway has stopped, alone or in a line with others', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  for (let n = 0; n < CALLBACKS; n++) caller.send(callback(n))
  await caller.settled(CALLBACKS)
  caller.destroy()
  await gateway.stop()
  expect(loggedBy(gateway)).toBe(CALLBACKS)
})

it('every stored callback is in the log when the store is lost: the process ends without a stop', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  const acknowledged = () => caller.answers().filter(({ status }) => status === 200).length
  let atLoss: { acknowledged: number; isLogged: boolean } | undefined
  void gateway.lost.then(() => {
    atLoss = { acknowledged: acknowledged(), isLogged: loggedBy(gateway) >= acknowledged() }
  })
  rmSync(join(gateway.site.folder, 'data/portaria.db'))
  let sent = 0
  await until(() => {
    for (let n = 0; n < 40; n++) caller.send(callback(++sent))
    return atLoss !== undefined
  })
  expect(atLoss).toEqual({ acknowledged: expect.any(Number), isLogged: true })
  expect(atLoss?.acknowledged).toBeGreaterThan(100)
})

function loggedBy({ lines }: Pick<TestGateway, 'lines'>): number {
  const ofEvent = (event: string) => lines.filter((line) => line.event === event)
  const summed = ofEvent('callbacks.stored').reduce((sum, line) => sum + Number(line.callbacks), 0)
  return ofEvent('callback.stored').length + summed
}
