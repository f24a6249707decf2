import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { callBack } from '../../support/calls.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { databaseFile } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const STEP_MS = 5000
const ENDLESS = Number.POSITIVE_INFINITY

it('a writer that keeps a callback waiting for 40 s is dead to the watchdog; one that has nothing to write is not', async () => {
  const gateway = await startTestGateway()
  let later = 3_600_000
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
  onTestFinished(() => clock.mockRestore())
  const idle = gateway.isAlive()

  const other = new Database(databaseFile(gateway.config))
  onTestFinished(() => void other.close())
  other.exec('begin immediate')
  const called = callBack(gateway)
  const begun = later
  const dead = await until(
    () => {
      later += STEP_MS
      return gateway.isAlive()
    },
    (isAlive) => !isAlive,
    ENDLESS,
  )
  other.exec('rollback')
  const { status } = await called

  expect({ idle, dead, status, afterwards: gateway.isAlive() }).toEqual({
    idle: true,
    dead: false,
    status: 200,
    afterwards: true,
  })
  expect(later - begun).toBeGreaterThanOrEqual(8 * STEP_MS)
})
