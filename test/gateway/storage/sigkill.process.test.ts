import { expect, it } from 'vitest'
import { runCrashRounds, seededRandom } from '../../support/crash-rounds.ts'

it('nothing acknowledged is lost, doubled or left undelivered when the gateway is killed under load', {
  timeout: 60_000,
}, async () => {
  const seed = Date.now() % 2 ** 32
  const report = await runCrashRounds({ rounds: 3, random: seededRandom(seed) })

  expect(report, `seed ${seed}`).toMatchObject({
    lost: [],
    storedTwice: [],
    misplaced: [],
    undelivered: [],
    mixedUp: [],
    damage: [],
    lastExit: 0,
  })
  expect(report.acknowledged).toBe(report.sent)
  expect(report.stored).toBe(report.sent)
  expect(report.delivered).toBe(report.sent)
})
