import { expect, it } from 'vitest'
import { runCrashRounds, seededRandom } from '../support/crash-rounds.ts'

it('nothing acknowledged is lost, doubled or left undelivered in 20 kills under load', async () => {
  const seed = Date.now() % 2 ** 32
  const report = await runCrashRounds({ rounds: 20, random: seededRandom(seed), connections: 8 })
  const { lost, storedTwice, misplaced, undelivered, mixedUp, damage, ...counts } = report
  console.log(`seed ${seed}: ${JSON.stringify({ ...counts, lost: lost.length })}`)

  const faults = { lost, storedTwice, misplaced, undelivered, mixedUp, damage }
  expect(faults, `seed ${seed}`).toEqual({
    lost: [],
    storedTwice: [],
    misplaced: [],
    undelivered: [],
    mixedUp: [],
    damage: [],
  })
  expect(counts).toMatchObject({
    acknowledged: counts.sent,
    stored: counts.sent,
    delivered: counts.sent,
    lastExit: 0,
  })
  // The campaign did what it is for: a good load, answers lost in crashes, deliveries repeated after them.
  expect(counts.sent).toBeGreaterThan(2000)
  expect(counts.recognised).toBeGreaterThan(0)
})
