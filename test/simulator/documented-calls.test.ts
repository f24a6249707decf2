import { resolve } from 'node:path'
import { it } from 'vitest'
import { expectKnownCalls } from '../../simulator/test/documented-calls.ts'
import { simulatorForTest } from '../../simulator/test/running.ts'

it('the simulator has every operation and option that the pages of the gateway call by name', async () => {
  await expectKnownCalls(await simulatorForTest(), resolve(import.meta.dirname, '../../docs'), 5)
})
