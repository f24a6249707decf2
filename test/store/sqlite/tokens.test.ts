import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { answeredOutcomes } from '../../../src/jobs/resolving/token-query.ts'
import { writeBackup } from '../../../src/store/sqlite/maintenance/backup.ts'
import { prepareRestored } from '../../../src/store/sqlite/maintenance/replace.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { violationsOf } from '../../support/invariants.ts'
import { databaseFrom, openTestStore, temporaryDatabase } from '../../support/store.ts'
import { anEntry, anOutcome, aTokenCallback } from '../contract/token-contract.ts'

const CIRCUMSTANCES = { now: NOON, stuckAfterMs: 1e9 }
const JOB = { id: 1, version: 1 }

/** Token 1 with the events 1 and 2 (resolved) is done; token 2 waits, and is event 3 (unresolved); event 4 is of an ordinary callback. A route. */
async function tokenDatabase(): Promise<string> {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  const settings = aDestination({ name: 'route' })
  const key = { environment: 'production', resource: 'charge', resourceId: '77' } as const
  await store.openChargeRoute({ ...key, owner: 'shop', settings }, NOON)
  for (const token of ['done', 'waiting']) await store.storeCallback(aTokenCallback(token))
  await store.settleToken(anOutcome(JOB, { entries: [anEntry(1), anEntry(2)] }))
  const unresolved = { isUnresolved: true, error: 'HTTP 503', nextAttemptAt: NOON + 1 }
  await store.settleToken(anOutcome({ id: 2, version: 1 }, unresolved))
  await store.storeCallback(aCallback())
  await store.close()
  return file
}

let sound: Buffer | undefined

async function changedBy(sql: string): Promise<string> {
  sound ??= readFileSync(await tokenDatabase())
  return databaseFrom(sound, sql)
}

const BREACHES = [
  ['update notification_tokens set callback_id = null where id = 2', 'waiting token without its callback: 2'],
  ["update notification_tokens set environment = 'sandbox' where id = 2", 'waiting token without its callback: 2'],
  [
    'delete from notification_tokens where id = 2; delete from event_bodies where event_id = 3; delete from deliveries where event_id = 3; delete from events where id = 3',
    'callback without an event, without anything in quarantine, and not of a token: 2',
  ],
  [
    "update notification_tokens set entries_beyond = '[3]' where id = 1",
    'token with entries beyond a gap that are no gap, or come twice: 1',
  ],
  [
    "update notification_tokens set entries_beyond = '[5,5]' where id = 1",
    'token with entries beyond a gap that are no gap, or come twice: 1',
  ],
  ['update events set parts = 2 where id = 1', 'body of an event that is only a part of its callback: 1'],
  [
    "update event_bodies set body = x'' where event_id = 2",
    'resolved event whose body is empty, or is not although its data was removed: 2',
  ],
  [
    'update events set payload_removed_at = 1 where id = 2',
    'resolved event whose body is empty, or is not although its data was removed: 2',
  ],
  [
    "update charge_routes set owner = 'other'",
    'charge route to a destination that is not there, or is of another owner or no route: 1',
  ],
  [
    "update callbacks set payload_removed_at = 1, body = x'' where id = 2; update events set payload_removed_at = 1 where callback_id = 2",
    'callback without its payload of which something is left, or nothing says so: 2',
  ],
  [
    'delete from event_bodies where event_id = 1',
    'event 1 was altered, or moved to another position: it does not fit the hash',
  ],
  ["update event_bodies set body = x'7b7d' where event_id = 2", 'the payload of event 2 was altered'],
  ["insert into event_bodies values (4, 'resolved', x'7b7d')", 'the payload of event 4 was altered'],
  [
    "insert into event_bodies values (99, 'unresolved', null)",
    'row 99 of event_bodies refers to a row of events that is not there',
  ],
] as const

describe('storage verify', () => {
  it('accepts tokens that wait and events that were resolved', async () => {
    expect(violationsOf(await changedBy(''), CIRCUMSTANCES)).toEqual([])
  })

  it.each(BREACHES)('%s: found', async (sql, violation) => {
    expect(violationsOf(await changedBy(sql), CIRCUMSTANCES)).toContain(violation)
  })
})

it('a job that waits is in a backup, and goes on in the restored database', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.storeCallback(aTokenCallback('t'))
  await store.settleToken(anOutcome(JOB, { entries: [anEntry(2)], nextAttemptAt: NOON + 1 }))
  const restored = temporaryDatabase()
  writeFileSync(restored, '')
  writeBackup({ file, target: restored, leaveBytes: 0 }, () => undefined)
  prepareRestored(restored, NOON)
  const again = await openTestStore({ file: restored })

  const [job] = await again.listWaitingTokens({ environment: 'production' }, 9)
  expect(job).toMatchObject({ token: 't', version: 1 })
  const entries = [anEntry(1), anEntry(2), anEntry(3)]
  expect((await again.settleToken(anOutcome(JOB, { entries }))).facts).toHaveLength(2)
  await again.close()
  expect(violationsOf(restored, CIRCUMSTANCES)).toEqual([])
})

it.each([0, 1, 2, 10])('a crash after %i portions of an answer loses no entry and repeats none', async (portions) => {
  const entries = Array.from({ length: 1050 }, (_, index) => ({ ...anEntry(index + 1), data: {} }))
  const answered = async (store: Store) => {
    const [token] = await store.listWaitingTokens({ environment: 'production' }, 1)
    if (token === undefined) return []
    const answer = { entries, earlier: 9, now: NOON, readEntry: ({ entryId }: { entryId: number }) => anEntry(entryId) }
    return [...answeredOutcomes(token, answer as never)]
  }
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.storeCallback(aTokenCallback('t'))
  for (const outcome of (await answered(store)).slice(0, portions)) await store.settleToken(outcome)
  // What a killed process leaves: the portions that were committed.
  const left = temporaryDatabase()
  writeFileSync(left, '')
  writeBackup({ file, target: left, leaveBytes: 0 }, () => undefined)
  const again = await openTestStore({ file: left })
  for (let asked = 0; asked < 2; asked++) for (const outcome of await answered(again)) await again.settleToken(outcome)
  const stored = (await again.listEvents({}, 2000)).events.map(({ body }) => Buffer.from(body).toString())
  expect(stored).toEqual(entries.map(({ body }) => Buffer.from(body).toString()))
  await again.close()
  expect(violationsOf(left, CIRCUMSTANCES)).toEqual([])
})

it('a token whose job cannot be stored is forwarded as it came, and the callbacks beside it are whole', async () => {
  const store = await openTestStore()
  await store.createDestination(aDestination({ kinds: ['charge'] }), NOON)
  const bad = aTokenCallback('bad', { notificationToken: { not: 'text' } as never })

  const answers = await Promise.all([bad, aTokenCallback('t')].map((callback) => store.storeCallback(callback)))

  expect(answers).toMatchObject([
    { callbackId: 1, destinationIds: [1] },
    { tokenId: 1, eventIds: [] },
  ])
  const { events } = await store.listEvents({}, 9)
  expect(events).toMatchObject([{ kind: 'charge', mark: 'unparsed', source: null, authentication: 'path-token' }])
  expect(Buffer.from(events[0]?.body ?? []).toString()).toBe('notification=bad')
})

it('rows that retention removes leave the hash of a resolved event behind', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.storeCallback(aCallback())
  await store.storeCallback(aTokenCallback('t'))
  await store.settleToken(anOutcome(JOB, { entries: [anEntry(1)] }))
  await store.storeCallback(aCallback({ text: '{"n":2}' }))
  for (const part of ['payload', 'metadata'] as const)
    await store.removeAged({ part, before: NOON + 1e9, callbackIds: [2] }, NOON + 1e9)
  await store.close()
  expect(verifyAuditChain(file, [], () => undefined)).toMatchObject({ problems: [], events: 2, removed: 1 })
  expect(violationsOf(file, CIRCUMSTANCES)).toEqual([])
})
