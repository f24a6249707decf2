import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countStored, startTestGateway } from '../../support/gateway.ts'
import { openRawCaller, rawCallback } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const CALLBACKS = 400

it('every stored callback is in the log once the gateway has stopped, alone or in a line with others', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  for (let n = 0; n < CALLBACKS; n++) caller.send(rawCallback(`{"n":${n}}`))
  await caller.settled(CALLBACKS)
  caller.destroy()
  await gateway.stop()
  expect(countStored(gateway.lines)).toBe(CALLBACKS)
})

it('every stored callback is in the log when the store is lost: the process ends without a stop', async () => {
  const sums: (() => void)[] = []
  const gateway = await startTestGateway(undefined, { sumUpWith: (logSums) => void sums.push(logSums) })
  const caller = await openRawCaller(gateway)
  const acknowledged = () => caller.answers().filter(({ status }) => status === 200).length
  let atLoss: { acknowledged: number; isLogged: boolean } | undefined
  void gateway.lost.then(() => {
    for (const logSums of sums) logSums()
    atLoss = { acknowledged: acknowledged(), isLogged: countStored(gateway.lines) >= acknowledged() }
  })
  rmSync(join(gateway.site.folder, 'data/portaria.db'))
  let sent = 0
  await until(() => {
    for (let n = 0; n < 40; n++) caller.send(rawCallback(`{"n":${++sent}}`))
    return atLoss !== undefined
  })
  expect(atLoss).toEqual({ acknowledged: expect.any(Number), isLogged: true })
  expect(atLoss?.acknowledged).toBeGreaterThan(0)
})
