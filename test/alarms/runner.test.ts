import { expect, it, onTestFinished } from 'vitest'
import { createWebhookChannel } from '../../src/alarms/channels/webhook.ts'
import { type AlarmRunner, createAlarmRunner } from '../../src/alarms/runner.ts'
import { createNameResolver } from '../../src/delivery/name-resolver.ts'
import type { AlarmReason } from '../../src/domain/alarms/alarm.ts'
import type { Store } from '../../src/domain/store.ts'
import { createAlarmHttp } from '../../src/gateway/alarms/alarm-http.ts'
import { NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { openTestStore, temporaryDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const send = createAlarmHttp(createNameResolver())
const FAILING = { code: 'webhook_failing', words: '500: thanks' }
const OPEN: AlarmReason = {
  code: 'circuit_open',
  subject: 'books',
  severity: 'problem',
  value: null,
  detail: null,
  until: null,
}

/** A runner on a real store with a real receiver, whose clock and reasons the test sets. Each look is asked for. */
async function createSubject(receivers: Record<string, TestReceiver>, file = temporaryDatabase()) {
  let now = NOON
  let reasons: readonly AlarmReason[] = []
  let isMine = true
  let reads = 0
  let writes = 0
  const lines: LogLine[] = []

  async function open() {
    const store = await openTestStore({ file })
    const runner = createAlarmRunner({
      store: counted(store),
      readReasons: async () => ({ reasons, isWhole: true }),
      readFacts: async () => null,
      gateway: 'gw-1',
      isMine: () => isMine,
      now: () => now,
      log: recordingLog(lines),
    })
    runner.use({
      language: 'en',
      groupMs: 0,
      quietHours: null,
      pages: null,
      channels: Object.entries(receivers).map(([name, { url }]) =>
        createWebhookChannel({ name, readUrl: () => url, format: 'json', send }),
      ),
    })
    onTestFinished(() => runner.stop())
    return { store, runner }
  }

  function counted(store: Store): Store {
    return {
      ...store,
      async listAlarmEntries() {
        const entries = await store.listAlarmEntries()
        reads++
        return entries
      },
      async keepAlarmEntries(entries) {
        await store.keepAlarmEntries(entries)
        writes++
      },
    }
  }

  /** Two, because the first one may have begun before it was asked for. A look ends before the next one reads. */
  async function look(runner: AlarmRunner): Promise<void> {
    for (const _ of [1, 2]) {
      const before = reads
      runner.wake()
      await until(() => reads > before)
    }
  }

  return {
    open,
    look,
    lines,
    writes: () => writes,
    set(changes: { after?: number; reasons?: readonly AlarmReason[]; isMine?: boolean }) {
      now += changes.after ?? 0
      reasons = changes.reasons ?? reasons
      isMine = changes.isMine ?? isMine
    },
  }
}

function sentBy(receiver: TestReceiver): string[] {
  return receiver.received.map(({ body }) => {
    const { began, ended } = JSON.parse(String(body)) as Record<'began' | 'ended', { code: string; subject: string }[]>
    return [
      ...began.map((one) => `+${one.code} ${one.subject}`),
      ...ended.map((one) => `-${one.code} ${one.subject}`),
    ].join()
  })
}

it('sends what begins and ends once, also over a restart, and writes only when something changed', async () => {
  const team = await startReceiver()
  const subject = await createSubject({ team })
  const first = await subject.open()
  subject.set({ reasons: [OPEN] })
  await subject.look(first.runner)
  await until(() => sentBy(team).length > 0)
  await subject.look(first.runner)
  const writes = subject.writes()
  await subject.look(first.runner)
  expect(subject.writes()).toBe(writes)
  await first.runner.stop()
  await first.store.close()

  const second = await subject.open()
  subject.set({ after: 60_000 })
  await subject.look(second.runner)
  expect(sentBy(team)).toEqual(['+circuit_open books'])
  subject.set({ reasons: [] })
  await subject.look(second.runner)
  await until(() => sentBy(team).length > 1)
  await subject.look(second.runner)
  expect(sentBy(team)).toEqual(['+circuit_open books', '-circuit_open books'])
  expect(await second.store.listAlarmEntries()).toMatchObject([{ record: 'channel', code: 'team' }])
})

it('tries again what failed, also in the next process, and names the failing channel meanwhile', async () => {
  const [team, mail] = [await startReceiver(), await startReceiver()]
  team.answer(500)
  const subject = await createSubject({ team, mail })
  const first = await subject.open()
  subject.set({ reasons: [OPEN] })
  await subject.look(first.runner)
  await until(() => first.runner.failing().length > 0)
  expect(first.runner.failing()).toEqual([{ name: 'team', failingSince: NOON, error: FAILING }])
  expect(first.runner.failures()).toEqual([
    { channel: 'team', count: 1 },
    { channel: 'mail', count: 0 },
  ])
  // It waits before it tries again.
  await subject.look(first.runner)
  expect(team.received).toHaveLength(1)
  subject.set({ after: 15_000 })
  await subject.look(first.runner)
  await until(() => first.runner.failures()[0]?.count === 2)
  await first.runner.stop()
  await first.store.close()

  team.answer(204)
  const second = await subject.open()
  await subject.look(second.runner)
  await until(() => team.received.length === 3)
  await until(async () => {
    await subject.look(second.runner)
    return second.runner.failing().length === 0
  })
  expect(sentBy(team).at(-1)).toBe('+circuit_open books')
  expect(sentBy(mail)).toEqual(['+circuit_open books'])
  expect(subject.lines.filter(({ event }) => event === 'alarm.failed')).toMatchObject([
    {
      channel: 'team',
      error: 'the service fails: HTTP 500: thanks',
      began: ['circuit_open books'],
      nextTryAt: '2026-01-15T12:00:15.000Z',
    },
    { nextTryAt: '2026-01-15T12:00:45.000Z' },
  ])
})

it.each([
  ['120', 429, 120_000],
  ['Thu, 15 Jan 2026 12:02:00 GMT', 503, 120_000],
  ['5', 429, 15_000],
  ['999999', 429, 3_600_000],
  ['soon', 429, 15_000],
])('waits as long as Retry-After asks, at most an hour: %s', async (retryAfter, status, wait) => {
  const team = await startReceiver()
  team.answer(status, { 'retry-after': retryAfter })
  const subject = await createSubject({ team })
  const { runner } = await subject.open()
  subject.set({ reasons: [OPEN] })
  await subject.look(runner)
  await until(() => runner.failures()[0]?.count === 1)
  team.answer(200)
  subject.set({ after: wait - 1 })
  await subject.look(runner)
  await subject.look(runner)
  expect(team.received).toHaveLength(1)
  subject.set({ after: 1 })
  await subject.look(runner)
  await until(() => team.received.length === 2)
})

it('sends nothing where another node does, but keeps the operator events of this one', async () => {
  const team = await startReceiver()
  const subject = await createSubject({ team })
  const { runner, store } = await subject.open()
  subject.set({ isMine: false, reasons: [OPEN] })
  const body = JSON.stringify({ type: 'expected.silent', kind: 'payment', environment: 'production', subject: 'E1' })
  runner.note({ body, madeAt: NOON })
  await subject.look(runner)
  expect(await store.listAlarmEntries()).toMatchObject([{ record: 'alarm', code: 'subjects_silent' }])
  expect(team.received).toEqual([])
  subject.set({ isMine: true })
  await subject.look(runner)
  await until(() => sentBy(team).length > 0)
  expect(sentBy(team)).toEqual(['+circuit_open books,+subjects_silent payment (production)'])
})

it('a test that is not sent proves that the channel fails', async () => {
  const team = await startReceiver()
  const subject = await createSubject({ team })
  const { runner } = await subject.open()
  await subject.look(runner)
  await subject.look(runner)
  team.answer(500)
  await runner.test(['team'])
  expect(runner.failing()).toEqual([{ name: 'team', failingSince: NOON, error: FAILING }])
  subject.set({ after: 60_000 })
  await runner.test(['team'])
  expect(runner.failing()).toMatchObject([{ failingSince: NOON }])
  team.answer(200)
  await runner.test(['team'])
  expect(runner.failing()).toEqual([])
})

it('sends a test at once, which proves a channel that had failed', async () => {
  const team = await startReceiver()
  team.answer(500)
  const subject = await createSubject({ team })
  const { runner } = await subject.open()
  subject.set({ reasons: [OPEN] })
  await subject.look(runner)
  await until(() => runner.failing().length > 0)
  expect(await runner.test(['team'])).toEqual([{ channel: 'team', error: FAILING }])
  team.answer(200)
  expect(await runner.test(['team', 'other'])).toEqual([{ channel: 'team', error: null }])
  await until(() => runner.failing().length === 0)
  await until(() => sentBy(team).at(-1) === '+circuit_open books')
})
