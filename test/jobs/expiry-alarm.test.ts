import { expect, it, onTestFinished } from 'vitest'
import type { InventoryEntry } from '../../src/domain/expiry.ts'
import { startExpiryAlarm } from '../../src/jobs/expiry-alarm.ts'
import { aDestination, aWatchedCertificate, NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { openTestStore, temporaryDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const HOUR = DAY / 24

/** A gateway's watch over these certificates, with a clock that a test moves and a store that survives restarts. */
async function startWatching(certificates: readonly InventoryEntry[]) {
  const file = temporaryDatabase()
  const clock = { now: NOON }
  const lines: LogLine[] = []
  const woken: number[] = []
  let watched = certificates

  async function start(intervalMs?: number) {
    const store = await openTestStore({ file })
    const watch = startExpiryAlarm({
      list: async () => watched,
      store,
      onRaised: (_event, { destinationIds }) => void woken.push(...destinationIds),
      now: () => clock.now,
      log: recordingLog(lines),
      ...(intervalMs !== undefined && { intervalMs }),
    })
    await watch.check()
    return { store, watch }
  }
  let running = await start()
  const stop = async () => {
    await running.watch.stop()
    await running.store.close()
  }
  onTestFinished(stop)
  return {
    clock,
    lines,
    woken,
    store: () => running.store,
    check: () => running.watch.check(),
    watchInstead(next: readonly InventoryEntry[]) {
      watched = next
    },
    async restart(intervalMs?: number) {
      await stop()
      running = await start(intervalMs)
    },
    said: () => lines.map(({ level, event, warning, daysLeft }) => [level, event, warning, daysLeft]),
    async told() {
      const { events } = await running.store.listEvents({ kinds: ['operator'] }, 100)
      return events.map(({ body }) => JSON.parse(Buffer.from(body).toString()).warning as number)
    },
  }
}

const EACH_ONCE = [
  ['warn', 'certificate.expiring', 30, 30],
  ['warn', 'certificate.expiring', 14, 14],
  ['warn', 'certificate.expiring', 7, 7],
  ['error', 'certificate.expiring', 3, 3],
  ['error', 'certificate.expiring', 1, 1],
  ['error', 'certificate.expiring', 0, 0],
]

it('while the clock goes on hour by hour each warning goes out once', async () => {
  const watching = await startWatching([aWatchedCertificate({ notAfter: NOON + 31 * DAY })])
  expect(watching.lines).toEqual([])
  for (; watching.clock.now <= NOON + 33 * DAY; watching.clock.now += HOUR) await watching.check()
  expect(watching.said()).toEqual(EACH_ONCE)
  expect(await watching.told()).toEqual([30, 14, 7, 3, 1, 0])
})

it('also when the gateway starts again again and again', async () => {
  const watching = await startWatching([aWatchedCertificate({ notAfter: NOON + 31 * DAY })])
  for (const day of [1, 2, 17, 18, 24, 28, 29, 30, 31, 32]) {
    watching.clock.now = NOON + day * DAY
    await watching.restart()
  }
  expect(watching.said()).toEqual(EACH_ONCE)
  expect(await watching.told()).toEqual([30, 14, 7, 3, 1, 0])
})

it('a clock that jumps says only what holds now, and nothing again when it is set back', async () => {
  const watching = await startWatching([aWatchedCertificate({ notAfter: NOON + 100 * DAY })])
  const days = [98, 85, 99.5, 60]
  for (const day of days) {
    watching.clock.now = NOON + day * DAY
    await watching.check()
    await watching.restart()
  }
  expect(await watching.told()).toEqual([3, 1])
})

it('a renewed certificate starts again', async () => {
  const watching = await startWatching([aWatchedCertificate({ notAfter: NOON + 2 * DAY })])
  const renewed = aWatchedCertificate({ fingerprint: 'cd'.repeat(32), notAfter: NOON + 90 * DAY })
  watching.watchInstead([renewed])
  await watching.check()
  expect(await watching.told()).toEqual([3])
  watching.clock.now = NOON + 61 * DAY
  await watching.check()
  expect(await watching.told()).toEqual([3, 30])
})

it('nothing is said of a date that is far away, of a replaced certificate, and of a file that cannot be read', async () => {
  const watching = await startWatching([
    aWatchedCertificate({ notAfter: NOON + 31 * DAY }),
    aWatchedCertificate({ notAfter: NOON - DAY, isReplaced: true }),
    { set: 'server', where: 'a.crt', environment: null, problem: 'is empty' },
  ])
  expect(await watching.told()).toEqual([])
  expect(watching.lines).toEqual([])
})

it('the line in the log says which certificate, where it is and which event tells it', async () => {
  const watching = await startWatching([aWatchedCertificate({ notAfter: NOON + 2 * DAY })])
  const [event] = (await watching.store().listEvents({ kinds: ['operator'] }, 1)).events
  expect(watching.lines).toEqual([
    {
      level: 'error',
      event: 'certificate.expiring',
      set: 'server',
      where: 'certs/server.crt',
      subject: 'CN=gateway',
      issuer: 'CN=authority',
      fingerprint: 'ab'.repeat(32),
      notAfter: '2026-01-17T12:00:00.000Z',
      daysLeft: 2,
      warning: 3,
      environment: 'production',
      eventId: event?.id,
    },
  ])
})

it('destinations that get it are woken, and it looks again by itself', async () => {
  const watching = await startWatching([aWatchedCertificate({ notAfter: NOON + 31 * DAY })])
  const { id } = await watching.store().createDestination(aDestination({ kinds: ['operator'] }), NOON)
  await watching.restart(20)
  watching.clock.now = NOON + 2 * DAY
  await until(() => watching.woken.length > 0)
  expect(watching.woken).toEqual([id])
})

it('that a client certificate loses its use is said once, whatever the days left, and no more when it is replaced', async () => {
  const clientUseProblem = '"CN=us" is of DigiCert, which no longer issues certificates for TLS clients: get another'
  const certificate = aWatchedCertificate({ set: 'client', notAfter: NOON + 200 * DAY, clientUseProblem })
  const watching = await startWatching([certificate, { ...certificate, where: 'in use' }])
  await watching.check()
  await watching.restart()
  expect(watching.lines).toEqual([
    expect.objectContaining({
      level: 'error',
      event: 'certificate.loses_client_use',
      where: 'certs/server.crt, in use',
      problem: clientUseProblem,
    }),
  ])
  const { events } = await watching.store().listEvents({ kinds: ['operator'] }, 10)
  expect(events.map(({ status, body }) => [status, JSON.parse(Buffer.from(body).toString())])).toEqual([
    ['loses-client-use', expect.objectContaining({ type: 'certificate.loses_client_use', problem: clientUseProblem })],
  ])
  watching.watchInstead([{ ...certificate, fingerprint: 'ef'.repeat(32), isReplaced: true }])
  await watching.check()
  expect(watching.lines).toHaveLength(1)
})

it('of a list that is renewed every few days it warns when its renewal is late', async () => {
  const watching = await startWatching([
    aWatchedCertificate({ set: 'revocation-list', notBefore: NOON, notAfter: NOON + 7 * DAY }),
  ])
  for (; watching.clock.now <= NOON + 8 * DAY; watching.clock.now += HOUR) await watching.check()
  expect(await watching.told()).toEqual([3, 1, 0])
})

it('a certificate of 47 days is quiet until its renewal is late, and one of 6 days is no problem for half of its life', async () => {
  const short = aWatchedCertificate({ notBefore: NOON, notAfter: NOON + 47 * DAY })
  const shortest = aWatchedCertificate({ fingerprint: 'cd'.repeat(32), notBefore: NOON, notAfter: NOON + 6 * DAY })
  const watching = await startWatching([short, shortest])
  for (; watching.clock.now <= NOON + 48 * DAY; watching.clock.now += HOUR) await watching.check()
  const saidOf = (one: typeof short) =>
    watching.lines
      .filter(({ fingerprint }) => fingerprint === one.fingerprint)
      .map(({ level, warning }) => [level, warning])
  expect(saidOf(short)).toEqual([
    ['warn', 15],
    ['warn', 14],
    ['warn', 7],
    ['error', 3],
    ['error', 1],
    ['error', 0],
  ])
  expect(saidOf(shortest)).toEqual([
    ['warn', 2],
    ['warn', 1],
    ['error', 0],
  ])
})

it('what could not be stored is said the next time', async () => {
  const lines: LogLine[] = []
  const answers = [
    Promise.reject(new Error('the disk is full')),
    Promise.resolve({ eventId: 'evt_1', destinationIds: [] }),
  ]
  answers[0]?.catch(() => undefined)
  const watch = startExpiryAlarm({
    list: async () => [aWatchedCertificate({ notAfter: NOON + DAY })],
    store: { raiseExpiryWarning: () => answers.shift() ?? Promise.resolve(null) },
    onRaised: () => undefined,
    now: () => NOON,
    log: recordingLog(lines),
  })
  await watch.check()
  expect(lines).toMatchObject([
    { level: 'warn', event: 'certificates.not_checked', error: 'the disk is full' },
    { level: 'error', event: 'certificate.expiring', warning: 1 },
  ])
  await watch.stop()
})
