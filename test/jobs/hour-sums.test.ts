import { expect, it, onTestFinished } from 'vitest'
import { HOUR_MS, type HourSum, type RunningCounts } from '../../src/domain/overview/hour-sums.ts'
import { startHourSums } from '../../src/jobs/hour-sums.ts'
import { NOON } from '../support/builders.ts'

const PAYMENT = { environment: 'production', kind: 'payment', destinationId: null } as const
const BOOKS = { environment: null, kind: null, destinationId: 7 } as const

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Sums that are added when the test says so. */
function startSums() {
  const added: HourSum[][] = []
  const given = { counts: [] as RunningCounts[], now: NOON + HOUR_MS / 2, isFull: false }
  const sums = startHourSums({
    store: {
      async addHourSums(sums) {
        if (given.isFull) throw new Error('the disk is full')
        added.push([...sums])
      },
    },
    counts: () => given.counts,
    now: () => given.now,
    log,
  })
  onTestFinished(() => sums.stop())
  return { given, added, sums }
}

it('what was counted since the last time is added to the current hour, and nothing where nothing was', async () => {
  const { given, added, sums } = startSums()
  given.counts = [
    { ...PAYMENT, succeeded: 3, failed: 1 },
    { ...BOOKS, succeeded: 0, failed: 0 },
  ]
  await sums.flush()
  await sums.flush()
  given.counts = [
    { ...PAYMENT, succeeded: 5, failed: 1 },
    { ...BOOKS, succeeded: 2, failed: 4 },
  ]
  await sums.flush()
  expect(added).toEqual([
    [{ ...PAYMENT, hour: NOON, succeeded: 3, failed: 1 }],
    [
      { ...PAYMENT, hour: NOON, succeeded: 2, failed: 0 },
      { ...BOOKS, hour: NOON, succeeded: 2, failed: 4 },
    ],
  ])
})

it('what ended in the minute before a full hour belongs to the earlier hour', async () => {
  const { given, added, sums } = startSums()
  given.counts = [{ ...PAYMENT, succeeded: 1, failed: 0 }]
  given.now = NOON + HOUR_MS + 1
  await sums.flush()
  given.counts = [{ ...PAYMENT, succeeded: 2, failed: 0 }]
  given.now = NOON + HOUR_MS + 60_001
  await sums.flush()
  expect(added.flat().map(({ hour }) => hour)).toEqual([NOON, NOON + HOUR_MS])
})

it('what could not be added is added with the next, and the last at the end', async () => {
  const { given, added, sums } = startSums()
  given.counts = [{ ...PAYMENT, succeeded: 3, failed: 0 }]
  given.isFull = true
  await expect(sums.flush()).rejects.toThrow('the disk is full')
  given.isFull = false
  given.counts = [{ ...PAYMENT, succeeded: 4, failed: 0 }]
  await sums.stop()
  expect(added).toEqual([[{ ...PAYMENT, hour: NOON, succeeded: 4, failed: 0 }]])
})

it('counts that began again are added whole', async () => {
  const { given, added, sums } = startSums()
  given.counts = [{ ...BOOKS, succeeded: 9, failed: 3 }]
  await sums.flush()
  given.counts = []
  await sums.flush()
  given.counts = [{ ...BOOKS, succeeded: 2, failed: 3 }]
  await sums.flush()
  expect(added.at(-1)).toEqual([{ ...BOOKS, hour: NOON, succeeded: 2, failed: 3 }])
})
