import { expect, it, onTestFinished } from 'vitest'
import type { Realm } from '../../src/domain/realm.ts'
import { startInactivityAlarm } from '../../src/jobs/inactivity-alarm.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { aCallback, aDestination, aFact, NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { openTestStore, temporaryDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A gateway's watch over payments, with a clock that a test moves and a store that survives restarts. */
async function startWatching() {
  const file = temporaryDatabase()
  const clock = { now: NOON }
  const lines: LogLine[] = []
  const woken: number[] = []

  async function start({ intervalMs = HOUR, failures = 0, realms = ['production'] as readonly Realm[] } = {}) {
    let failuresLeft = failures
    const store = await openTestStore({ file })
    const watch = await startInactivityAlarm({
      rules: realms.map((environment) => ({ kind: 'payment', environment, alertAfterMs: HOUR })),
      store: {
        ...store,
        async raiseInactivity(silence) {
          if (failuresLeft-- > 0) throw new PortariaError('store_unavailable', 'the disk fails')
          return store.raiseInactivity(silence)
        },
      },
      onRaised: (_event, { destinationIds }) => void woken.push(...destinationIds),
      now: () => clock.now,
      log: recordingLog(lines),
      intervalMs,
    })
    let stopped: Promise<void> | undefined
    const stop = () => (stopped ??= watch.stop().then(() => store.close()))
    onTestFinished(stop)
    /** What a listener does with a callback at that time. */
    const receive = async (at: number, changes: Parameters<typeof aCallback>[0] = {}) => {
      clock.now = at
      const callback = aCallback({ receivedAt: at, ...changes })
      watch.received(callback, await store.storeCallback(callback))
    }
    const checkAt = async (at: number) => {
      clock.now = at
      await watch.check()
      return watch.kinds()[0]?.isInactive
    }
    return { store, watch, receive, checkAt, stop }
  }
  const told = () => lines.map(({ level, event, kind, lastReceivedAt }) => [level, event, kind, lastReceivedAt])
  return { start, lines, told, woken, clock }
}

const SILENT_SINCE = (at: number | null) => [
  'warn',
  'kind.silent',
  'payment',
  at === null ? null : new Date(at).toISOString(),
]

it('tells once that a kind is silent, and that it is heard again', async () => {
  const site = await startWatching()
  const { store, receive, checkAt, watch } = await site.start()
  const { id } = await store.createDestination(aDestination({ kinds: ['operator'] }), NOON)
  await receive(NOON)
  expect([await checkAt(NOON + HOUR), site.told()]).toEqual([false, []])
  expect(await checkAt(NOON + HOUR + 1)).toBe(true)
  expect(await checkAt(NOON + 5 * HOUR)).toBe(true)
  expect([site.told(), site.woken]).toEqual([[SILENT_SINCE(NOON)], [id]])

  // The same fact once more: something came.
  await receive(NOON + 6 * HOUR)
  expect(watch.kinds()).toEqual([
    { kind: 'payment', environment: 'production', lastReceivedAt: NOON + 6 * HOUR, isInactive: false },
  ])
  expect(site.lines.at(-1)).toMatchObject({ level: 'info', event: 'kind.resumed', silentForMs: 6 * HOUR })
  expect(await checkAt(NOON + 7 * HOUR + 1)).toBe(true)
  expect(site.told().at(-1)).toEqual(SILENT_SINCE(NOON + 6 * HOUR))
})

it('hears a token whose entries are not known yet, but no probe', async () => {
  const site = await startWatching()
  const { watch } = await site.start()
  watch.received(aCallback({ receivedAt: NOON }), {})
  watch.received(aCallback({ receivedAt: NOON + HOUR }), { newFacts: [aFact({ kind: 'probe' })] })
  expect(watch.kinds()).toMatchObject([{ lastReceivedAt: NOON }])
})

it('tells also of a silence that begins while the clock is far ahead, once it is right again', async () => {
  const site = await startWatching()
  const { receive, checkAt } = await site.start()
  await receive(NOON + 1000 * HOUR)
  expect(await checkAt(NOON)).toBe(false)
  expect(await checkAt(NOON + HOUR + 1)).toBe(true)
  expect(site.told()).toEqual([SILENT_SINCE(NOON)])
})

it('is not broken by another environment, another kind, or a caller that only asks whether somebody is here', async () => {
  const { start } = await startWatching()
  const { receive, checkAt } = await start()
  await receive(NOON)
  await receive(NOON + 30 * MINUTE, { environment: 'sandbox', text: '"sandbox"' })
  await receive(NOON + 30 * MINUTE, { kind: 'charge', facts: [aFact({ kind: 'charge' })], text: '"charge"' })
  await receive(NOON + 30 * MINUTE, { facts: [aFact({ kind: 'probe' })], text: '' })
  expect(await checkAt(NOON + HOUR + 1)).toBe(true)
})

it('goes on over a restart, and what was reported before is not reported again', async () => {
  const site = await startWatching()
  const first = await site.start()
  await first.receive(NOON)
  await first.stop()

  site.clock.now = NOON + 30 * MINUTE
  const second = await site.start()
  expect(await second.checkAt(NOON + HOUR)).toBe(false)
  expect(await second.checkAt(NOON + HOUR + 1)).toBe(true)
  await second.stop()
  const third = await site.start()
  expect(await third.checkAt(NOON + 2 * HOUR)).toBe(true)
  expect(site.told()).toEqual([SILENT_SINCE(NOON)])
  await third.receive(NOON + 3 * HOUR)
  await third.checkAt(NOON + 5 * HOUR)
  expect(site.told().at(-1)).toEqual(SILENT_SINCE(NOON + 3 * HOUR))
})

it('counts from the start where a kind never came', async () => {
  const site = await startWatching()
  const { checkAt } = await site.start()
  expect([await checkAt(NOON + HOUR), await checkAt(NOON + HOUR + 1)]).toEqual([false, true])
  expect(site.told()).toEqual([SILENT_SINCE(null)])
})

it('a kind that never came stays silent over a restart, and only of its own realm', async () => {
  const site = await startWatching()
  const first = await site.start()
  await first.checkAt(NOON + HOUR + 1)
  await first.stop()
  site.clock.now = NOON + 2 * HOUR
  const second = await site.start({ realms: ['production', 'bank-a/production'] })
  expect(second.watch.kinds().map(({ isInactive }) => isInactive)).toEqual([true, false])
  await second.checkAt(NOON + 2 * HOUR)
  expect(site.told()).toEqual([SILENT_SINCE(null)])
  await second.receive(NOON + 2 * HOUR)
  expect(second.watch.kinds()[0]?.isInactive).toBe(false)
})

it('looks by itself, and what could not be told of is tried again', async () => {
  const site = await startWatching()
  const { receive } = await site.start({ intervalMs: 5, failures: 2 })
  await receive(NOON)
  site.clock.now = NOON + 2 * HOUR
  await until(() => site.lines.some(({ event }) => event === 'kind.silent'))
  expect(site.lines.map(({ event }) => event)).toEqual(['kind.alert_failed', 'kind.alert_failed', 'kind.silent'])
})

it('watches kinds of the same name in two institutions apart, and tells whose is silent', async () => {
  const site = await startWatching()
  const first = await site.start({ realms: ['production', 'bank-a/sandbox'] })
  await first.receive(NOON)
  await first.receive(NOON, { environment: 'bank-a/sandbox', text: '"bank"' })
  // Of no watched realm.
  await first.receive(NOON + 30 * MINUTE, { environment: 'bank-a/production', text: '"other"' })
  await first.receive(NOON + 30 * MINUTE, { environment: 'production', text: '"own"' })
  await first.checkAt(NOON + HOUR + 1)
  expect(first.watch.kinds()).toEqual([
    { kind: 'payment', environment: 'production', lastReceivedAt: NOON + 30 * MINUTE, isInactive: false },
    { kind: 'payment', environment: 'bank-a/sandbox', lastReceivedAt: NOON, isInactive: true },
  ])
  await first.checkAt(NOON + 2 * HOUR)
  const told = site.lines.filter(({ event }) => event === 'kind.silent')
  expect(told.map(({ institution, environment }) => [institution, environment])).toEqual([
    ['bank-a', 'sandbox'],
    [undefined, 'production'],
  ])
  const { events } = await first.store.listEvents({ kinds: ['operator'] }, 9)
  expect(events.map(({ environment, body }) => [environment, JSON.parse(Buffer.from(body).toString())])).toMatchObject([
    ['bank-a/sandbox', { type: 'kind.silent', kind: 'payment', institution: 'bank-a', environment: 'sandbox' }],
    ['production', { environment: 'production' }],
  ])
  await first.stop()

  const second = await site.start({ realms: ['production', 'bank-a/sandbox'] })
  await second.checkAt(NOON + 3 * HOUR)
  expect(site.lines.filter(({ event }) => event === 'kind.silent')).toHaveLength(2)
  await second.receive(NOON + 3 * HOUR, { environment: 'bank-a/sandbox', text: '"new"' })
  expect(site.lines.at(-1)).toMatchObject({ event: 'kind.resumed', institution: 'bank-a', environment: 'sandbox' })
})
