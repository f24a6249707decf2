import { describe, expect, it, onTestFinished } from 'vitest'
import type { FreeSpace } from '../../../src/domain/disk-pressure.ts'
import type { Store, WriterPulse } from '../../../src/domain/store.ts'
import { startDiskGuard } from '../../../src/jobs/disk-guard.ts'
import { withLoadShedding } from '../../../src/jobs/load-shedding.ts'
import { aCallback, aDestination, aRefusal, NOON } from '../../support/builders.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'
import { openTestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const MIB = 1024 * 1024

/** A real store on a disk of which only the numbers are made up; the reserve is 8 MiB. */
async function guard(settings: { isLooking?: boolean; pulse?: Partial<WriterPulse> } = {}) {
  const { isLooking = true, pulse = {} } = settings
  const store = await openTestStore()
  const disk: { space: FreeSpace | null } = { space: { freeBytes: 100 * MIB, totalBytes: 1000 * MIB, walBytes: 0 } }
  const writer = { failures: 0 }
  const reader = { isBusy: false, keptWaiting: 0 }
  const log = { emptied: 0 }
  const lines: LogLine[] = []
  const reasons: (string | null)[] = []
  const headroom = await startDiskGuard({
    measure: () => disk.space,
    minFreeSpace: { share: 0.001 },
    store: {
      ...store,
      pulse: () => ({ ...store.pulse(), ...pulse }),
      dropRefusals: (limit) => (writer.failures-- > 0 ? Promise.reject(new Error('full')) : store.dropRefusals(limit)),
      checkpointWal() {
        log.emptied++
        return store.checkpointWal()
      },
      reusableBytes() {
        if (!reader.isBusy) return store.reusableBytes()
        reader.keptWaiting++
        return new Promise(() => undefined)
      },
    },
    onRefusing: (why) => reasons.push(why),
    log: recordingLog(lines),
    intervalMs: isLooking ? 5 : 3_600_000,
  })
  onTestFinished(() => headroom.stop())
  return {
    headroom,
    store: withLoadShedding(store, headroom),
    reasons,
    changes: () => lines.filter(({ event }) => event === 'disk.changed').map(({ level, to }) => [to, level]),
    lines,
    disk,
    log,
    reader,
    writer,
    have(changes: Partial<FreeSpace>) {
      disk.space = { ...(disk.space as FreeSpace), ...changes }
    },
  }
}

/** An attempt that failed, with an answer. */
async function fail(store: Store, attempt: number): Promise<void> {
  const request = { destinationId: 1, limit: 1, now: NOON, leaseUntil: NOON + 1, freshSince: 0, backlogLimit: 1 }
  await store.claimDeliveries(request)
  const failed = { startedAt: NOON, durationMs: 1, status: 500, error: 'it answered 500', answer: Buffer.from('no') }
  const result = { state: 'pending', at: NOON, retriesUsed: attempt } as const
  await store.recordAttempts([{ deliveryId: 1, attempt, ...failed, result }])
}

const refuse = (store: Store) => store.recordRefusals({ refusals: [aRefusal()], probes: [] })
const refusalsIn = async (store: Store) => (await store.listRefusals({}, 10)).refusals.length
const answersIn = async (store: Store) => (await store.listAttempts(1, 10)).map(({ answer }) => answer.length)

describe('what is left undone as space runs short', () => {
  it('is first the record of refusals, then the answers of attempts, then new callbacks; with space again all is done', async () => {
    const { store, headroom, have, changes, reasons } = await guard()
    await store.createDestination(aDestination(), NOON)
    await store.storeCallback(aCallback())
    await refuse(store)
    await fail(store, 1)

    have({ freeBytes: 7 * MIB })
    await until(async () => (await refusalsIn(store)) === 0)
    await refuse(store)
    await fail(store, 2)
    expect([await refusalsIn(store), await answersIn(store), headroom.admits(100)]).toEqual([0, [2, 2], true])

    have({ freeBytes: 5 * MIB })
    await until(async () => (await answersIn(store)).join() === '0,0')
    await fail(store, 3)
    expect([await refusalsIn(store), await answersIn(store), headroom.admits(100)]).toEqual([0, [0, 0, 0], true])

    have({ freeBytes: 3 * MIB })
    await until(() => !headroom.admits(100))
    await fail(store, 4)

    have({ freeBytes: 100 * MIB })
    await until(() => headroom.admits(100))
    await refuse(store)
    await fail(store, 5)
    expect([await refusalsIn(store), await answersIn(store)]).toEqual([1, [0, 0, 0, 0, 2]])
    expect(reasons).toEqual(['the disk is nearly full: 3.0 MiB free, storage.minFreeSpace is 8.0 MiB', null])
    expect(changes()).toEqual([
      ['no_refusals', 'warn'],
      ['no_answers', 'warn'],
      ['no_callbacks', 'error'],
      ['ok', 'info'],
    ])
    expect(headroom.state()).toMatchObject({ level: 'ok', refused: expect.any(Number), minFreeBytes: 8 * MIB })
    expect(headroom.state().refused).toBeGreaterThan(0)
  })
})

it('the search index waits while space is short', async () => {
  const { store, have, headroom } = await guard()
  const { callbackId } = await store.storeCallback(aCallback())
  const work = () => [store.workOnSearch('index', { limit: 10 }), store.prepareRemoval([callbackId as number])]
  have({ freeBytes: 7 * MIB })
  await until(() => headroom.level() !== 'ok')
  for (const refused of work()) await expect(refused).rejects.toThrow('no disk space for the search index')
  expect((await store.readSearchState(NOON)).indexedThrough).toBe(0)
  have({ freeBytes: 100 * MIB })
  await until(() => headroom.level() === 'ok')
  expect(await Promise.all(work())).toEqual([1, null])
})

it('what could not be removed is tried again', async () => {
  const { store, have, lines, writer } = await guard()
  await refuse(store)
  writer.failures = 2
  have({ freeBytes: 7 * MIB })
  await until(async () => (await refusalsIn(store)) === 0)
  expect(lines.filter(({ event }) => event === 'disk.not_dropped')).toHaveLength(2)
})

describe('callbacks are refused in time', () => {
  it('where they come faster than the guard looks', async () => {
    const { headroom, have } = await guard({ isLooking: false })
    have({ freeBytes: 3 * MIB })
    expect(headroom.admits(100)).toBe(true)
    expect(headroom.admits(MIB)).toBe(false)
  })

  it('where what was accepted is still to be written', async () => {
    const { headroom, have } = await guard({ pulse: { waitingBytes: 8 * MIB, waitingEvents: 8 } })
    have({ freeBytes: 21 * MIB })
    await until(() => headroom.state().freeBytes === 21 * MIB)
    expect(headroom.level()).toBe('no_answers')
    have({ freeBytes: 19 * MIB })
    await until(() => !headroom.admits(1))
  })

  it('where those who read keep the reader busy', async () => {
    const { headroom, have, reader } = await guard()
    reader.isBusy = true
    await until(() => reader.keptWaiting === 1)
    have({ freeBytes: 3 * MIB })
    await until(() => headroom.level() === 'no_callbacks')
  })

  it('where a long read keeps the log from being moved into the database', async () => {
    const { headroom, have } = await guard()
    have({ freeBytes: 20 * MIB, walBytes: 18 * MIB })
    await until(() => !headroom.admits(1))
  })

  it('where no one knows how much is free: what was known last counts, and it is said once', async () => {
    const { headroom, have, disk, lines } = await guard()
    have({ freeBytes: 3 * MIB })
    await until(() => !headroom.admits(1))
    const known = disk.space
    disk.space = null
    await until(() => lines.some(({ event }) => event === 'disk.not_measured'))
    for (let times = 0; times < 20; times++) headroom.admits(MIB)
    expect(headroom.admits(1)).toBe(false)
    expect(lines.filter(({ event }) => event === 'disk.not_measured')).toHaveLength(1)
    disk.space = known && { ...known, freeBytes: 100 * MIB }
    await until(() => headroom.admits(1))
  })
})

it('where a long read keeps the log, nothing that can wait fills the disk with it, and it is emptied by itself', async () => {
  const { store, have, lines, log, reasons } = await guard()
  await store.createDestination(aDestination(), NOON)
  await store.storeCallback(aCallback())
  const claim = { destinationId: 1, limit: 1, now: NOON, leaseUntil: NOON + 1, freshSince: 0, backlogLimit: 1 }
  const aged = { part: 'payload', before: NOON + 1, callbackIds: [1] } as const

  have({ freeBytes: 20 * MIB, walBytes: 18 * MIB })
  await expect.poll(() => log.emptied).toBeGreaterThan(1)
  await refuse(store)
  await expect(store.claimDeliveries(claim)).resolves.toMatchObject({ deliveries: [{ deliveryId: 1 }] })
  have({ freeBytes: 18 * MIB, walBytes: 20 * MIB })
  const held = 'a long read of the database keeps its write-ahead log'
  await expect(store.claimDeliveries(claim)).rejects.toThrow(held)
  await expect(store.removeAged(aged, NOON)).rejects.toThrow(held)
  expect(reasons).toEqual([
    'the disk is nearly full: 20.0 MiB free, 17.0 MiB needed to move the write-ahead log, storage.minFreeSpace is 8.0 MiB',
  ])
  have({ freeBytes: 1 * MIB, walBytes: 1 * MIB })
  await expect(store.claimDeliveries({ ...claim, now: NOON + 2 })).resolves.toBeDefined()
  expect(lines.filter(({ event }) => event === 'disk.wal_pinned')).toHaveLength(1)
})

it('what the database can write again counts as space: no more is removed than it takes', async () => {
  const { store, changes, have } = await guard()
  const refusals = Array.from({ length: 2000 }, (_, n) =>
    aRefusal({ remoteAddress: `192.0.2.${n % 9}`, detail: 'x'.repeat(10_000) }),
  )
  await store.recordRefusals({ refusals, probes: [] })
  have({ freeBytes: 7 * MIB })
  await until(() => changes().length === 2)
  expect(changes()).toEqual([
    ['no_refusals', 'warn'],
    ['ok', 'info'],
  ])
  const left = (await store.listRefusals({}, 2000)).refusals.length
  expect([left > 0, left < 2000]).toEqual([true, true])
})
