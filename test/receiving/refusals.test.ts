import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { NewRefusal, RefusalBatch, RefusalRecord } from '../../src/domain/refusal.ts'
import type { Store } from '../../src/domain/store.ts'
import { createMinutes } from '../../src/receiving/refusal-minutes.ts'
import { openRefusals } from '../../src/receiving/refusals.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aCallback, NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const MINUTE_MS = 60_000
const ADDRESS = '192.0.2.1'
const withoutCertificate = () => ({ code: 'no_certificate' }) as const

async function startRecord(changes: Partial<Pick<Store, 'recordRefusals'>> = {}) {
  const store = await openStore({
    file: join(temporaryFolder(), 'portaria.db'),
    deduplicationWindowMs: MINUTE_MS,
    queue: { events: 10, bytes: 1000 },
  })
  onTestFinished(() => store.close())
  const clock = { now: NOON }
  const lines: LogLine[] = []
  const open = () => openRefusals({ store: { ...store, ...changes }, log: recordingLog(lines), now: () => clock.now })
  const rows = async () => (await store.listRefusals({}, 10_000)).refusals
  return { store, clock, lines, open, rows, refusals: await open() }
}

const named = (lines: readonly LogLine[], event: string) => lines.filter((line) => line.event === event)
const brief = ({ remoteAddress, code, count }: RefusalRecord) => [remoteAddress, code, count]

it('writes a row and a line for each refusal, with its words, its codes and who asked', async () => {
  const { refusals, lines, rows } = await startRecord()
  const certificate = { subject: 'CN=a', issuer: 'CN=b', fingerprint: 'ab', notBefore: 0, notAfter: 1 }
  refusals.on('charges')(ADDRESS, () => ({
    code: 'bad_request',
    reason: 'bad request: Invalid method',
    rawCode: 'HPE_INVALID_METHOD',
    environment: 'sandbox',
    chain: [certificate, certificate],
  }))
  await refusals.close()

  const line = {
    listener: 'charges',
    remoteAddress: ADDRESS,
    code: 'bad_request',
    reason: 'bad request: Invalid method',
    rawCode: 'HPE_INVALID_METHOD',
    environment: 'sandbox',
  }
  const { notBefore, notAfter, ...own } = certificate
  expect([notBefore, notAfter]).toEqual([0, 1])
  expect(lines).toEqual([{ level: 'warn', event: 'caller.refused', ...line, ...own }])
  expect(await rows()).toMatchObject([{ ...line, refusedAt: NOON, chain: [certificate, certificate], count: 1 }])
})

it('records 60 of one address in a minute, describes no more, and counts the rest in one row and one line', async () => {
  const { refusals, lines, rows, clock } = await startRecord()
  let described = 0
  const refuse = () =>
    refusals.on('callbacks')(ADDRESS, () => {
      described++
      return withoutCertificate()
    })
  for (let i = 0; i < 1000; i++) refuse()
  refusals.on('callbacks')('192.0.2.2', withoutCertificate)
  clock.now += MINUTE_MS
  refuse()
  await refusals.close()

  expect(described).toBe(61)
  expect(named(lines, 'caller.refused')).toHaveLength(62)
  expect(named(lines, 'callers.refused')).toMatchObject([{ leftOut: 940, remoteAddress: ADDRESS }])
  expect((await rows()).map(brief)).toEqual([
    ...Array(60).fill([ADDRESS, 'no_certificate', 1]),
    ['192.0.2.2', 'no_certificate', 1],
    [ADDRESS, 'left_out', 940],
    [ADDRESS, 'no_certificate', 1],
  ])
})

it('records 240 in a minute, however many addresses they come from', async () => {
  const { refusals, rows } = await startRecord()
  for (let i = 0; i < 5000; i++) refusals.on('callbacks')(`2001:db8::${i.toString(16)}`, withoutCertificate)
  await refusals.close()

  const kept = await rows()
  expect(kept).toHaveLength(241)
  expect(kept.slice(240).map(brief)).toEqual([['several addresses', 'left_out', 4760]])
})

it('sums up a minute once, also where no other refusal follows', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const kept: NewRefusal[] = []
  const minutes = createMinutes({ log: recordingLog([]), now: () => NOON, keep: (refusal) => void kept.push(refusal) })
  minutes.leaveOut(minutes.currentMinute('callbacks'), ADDRESS, 2)
  minutes.leaveOut(minutes.currentMinute('callbacks'), ADDRESS, 3)
  vi.advanceTimersByTime(MINUTE_MS)
  minutes.endAll()
  expect(kept.map(({ code, count }) => [code, count])).toEqual([['left_out', 5]])
})

it('bounds each listener by itself, so that a scan of one hides no one at the other', async () => {
  const { refusals, rows } = await startRecord()
  for (let i = 0; i < 100; i++) refusals.on('charges')(ADDRESS, () => ({ code: 'unknown_token' }))
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  await refusals.close()

  expect((await rows()).filter((row) => row.listener === 'callbacks').map(brief)).toEqual([
    [ADDRESS, 'no_certificate', 1],
  ])
})

it('records identified callers within limits of their own, so that a flood of others hides none of them', async () => {
  const { refusals, rows } = await startRecord()
  const refuse = refusals.on('callbacks')
  for (let i = 0; i < 300; i++) refuse(ADDRESS, withoutCertificate)
  refuse(ADDRESS, () => ({ code: 'unknown_path', environment: 'production' }), true)
  await refusals.close()
  expect((await rows()).filter(({ code }) => code === 'unknown_path').map(brief)).toEqual([
    [ADDRESS, 'unknown_path', 1],
  ])
})

it('drops what the store has no room for, says so, and counts it in the next row that can be written', async () => {
  let isFull = true
  const written: RefusalBatch[] = []
  const { refusals, lines, clock } = await startRecord({
    async recordRefusals(batch) {
      if (isFull) throw new Error('the disk is full')
      written.push(batch)
      return 0
    },
  })
  for (let i = 0; i < 3; i++) refusals.on('callbacks')(ADDRESS, withoutCertificate)
  await until(() => named(lines, 'refusals.not_recorded').length === 1)
  isFull = false
  clock.now += MINUTE_MS
  refusals.on('callbacks')('192.0.2.2', withoutCertificate)
  await refusals.close()

  expect(named(lines, 'refusals.not_recorded')).toMatchObject([{ refusals: 3, error: 'the disk is full' }])
  const rows = written.flatMap((batch) => batch.refusals.map((row) => [row.remoteAddress, row.code, row.count]))
  expect(rows).toEqual([
    [ADDRESS, 'left_out', 3],
    ['192.0.2.2', 'no_certificate', 1],
  ])
})

/** Each batch waits for `end`, which may fail it. */
function slowRecording() {
  const batches: RefusalBatch[] = []
  const ends: ((error?: Error) => void)[] = []
  const recordRefusals = (batch: RefusalBatch) => {
    batches.push(batch)
    return new Promise<number>((resolve, reject) =>
      ends.push((error) => (error === undefined ? resolve(0) : reject(error))),
    )
  }
  const counted = () => batches.flatMap(({ refusals }) => refusals).reduce((sum, { count }) => sum + count, 0)
  return { batches, ends, recordRefusals, counted }
}

it('writes what comes while a batch is written behind it, without another refusal', async () => {
  const { batches, ends, recordRefusals, counted } = slowRecording()
  const { refusals } = await startRecord({ recordRefusals })
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  await until(() => batches.length === 1)
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  ends[0]?.()
  await until(() => batches.length === 2)
  ends[1]?.()
  expect(counted()).toBe(2)
})

it('keeps 1,000 while the disk is slow, and counts the others', async () => {
  const { batches, ends, recordRefusals, counted } = slowRecording()
  const { refusals, clock } = await startRecord({ recordRefusals })
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  await until(() => batches.length === 1)
  for (let i = 0; i < 1500; i++) {
    if (i % 200 === 0) clock.now += MINUTE_MS
    refusals.on('callbacks')(`2001:db8::${i.toString(16)}`, withoutCertificate)
  }
  ends[0]?.()
  await until(() => batches.length === 2)
  ends[1]?.()
  const closed = refusals.close()
  await until(() => batches.length === 3)
  ends[2]?.()
  await closed
  expect(batches[1]?.refusals).toHaveLength(1000)
  expect(counted()).toBe(1501)
})

it('marks a probe once, and again where that could not be written', async () => {
  const { batches, ends, recordRefusals } = slowRecording()
  const { refusals } = await startRecord({ recordRefusals })
  const refuse = refusals.on('callbacks')
  refuse(ADDRESS, withoutCertificate)
  refusals.markProbe(ADDRESS)
  for (const [at, error] of [new Error('the disk is full'), undefined, undefined].entries()) {
    await until(() => batches.length === at + 1)
    if (at === 1) refuse('192.0.2.2', withoutCertificate)
    ends[at]?.(error)
    if (at === 0) await until(() => refusals.markProbe(ADDRESS) === undefined && batches.length === 2)
  }
  const probe = { address: ADDRESS, since: NOON - 5 * MINUTE_MS }
  expect(batches.map(({ probes }) => probes)).toEqual([[probe], [probe], []])
})

it('gives way to callbacks: the store takes no refusals while many of them wait', async () => {
  const { store, refusals, lines, rows } = await startRecord()
  const callbacks = Array.from({ length: 9 }, (_, index) => aCallback({ text: `${index}` }))
  const storing = Promise.all(callbacks.map(store.storeCallback))
  await expect(store.recordRefusals({ refusals: [], probes: [] })).rejects.toMatchObject({ code: 'queue_full' })
  await storing
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  await refusals.close()

  expect(await rows()).toHaveLength(1)
  expect(named(lines, 'refusals.not_recorded')).toEqual([])
})

it('marks a refusal without a certificate as the probe when a good notification of its address follows', async () => {
  const { refusals, rows, lines, clock } = await startRecord()
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  refusals.on('callbacks')(ADDRESS, () => ({ code: 'expired' }))
  refusals.on('callbacks')('192.0.2.2', withoutCertificate)
  clock.now += 4 * MINUTE_MS
  refusals.markProbe(ADDRESS)
  refusals.markProbe('192.0.2.3')
  await refusals.close()

  expect((await rows()).map((row) => row.isProbe)).toEqual([true, false, false])
  expect(named(lines, 'probe.recognized')).toMatchObject([{ refusals: 1, addresses: [ADDRESS] }])
})

it('takes a good notification six minutes later for no sign of a probe', async () => {
  const { refusals, rows, clock } = await startRecord()
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  clock.now += 6 * MINUTE_MS
  refusals.markProbe(ADDRESS)
  await refusals.close()

  expect((await rows()).map((row) => row.isProbe)).toEqual([false])
})

it('recognizes a probe across a restart', async () => {
  const { refusals, open, rows, clock } = await startRecord()
  refusals.on('callbacks')(ADDRESS, withoutCertificate)
  await refusals.close()
  clock.now += MINUTE_MS
  const restarted = await open()
  restarted.markProbe(ADDRESS)
  await restarted.close()

  expect((await rows()).map((row) => row.isProbe)).toEqual([true])
})
