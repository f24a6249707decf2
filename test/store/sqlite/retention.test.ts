import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RemovedPart } from '../../../src/domain/retention.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openForReading } from '../../../src/store/sqlite/database/connection.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import { aDestination, aHeldCallback, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { violationsOf } from '../../support/invariants.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

const LATER = NOON + 1000

/** Callbacks 1 (whole), 2 (three facts), 3 (one let in, one held), 4 (whole), with a delivery each. */
async function fill(store: Store): Promise<void> {
  await store.createDestination(aDestination({ order: 'subject' }), NOON)
  await store.storeCallback(anInterpretedCallback('{"identificador":"Ana-of-1"}'))
  const parts = ['Ana-of-2', 'Eva', 'Ana-of-2'].map((id, n) => `{"identificador":"${id}","n":${n}}`)
  await store.storeCallback(anInterpretedCallback(`{"pix":[${parts.join()}]}`, ['/pix']))
  const held = ['own', 'theirs'].map((account) => `{"txid":"T","account":"${account}"}`)
  await store.storeCallback(aHeldCallback(`{"pix":[${held.join()}]}`, ['/pix'], { kind: 'payment' }))
  await store.storeCallback(anInterpretedCallback('{"identificador":"last"}'))
  for (let id = 1; id <= 6; id++) await store.skipDelivery(id, NOON)
}

function remove(store: Store, part: RemovedPart, callbackIds: readonly number[]) {
  return store.removeAged({ part, before: LATER, callbackIds }, LATER)
}

async function redact(store: Store, subject: string): Promise<void> {
  const search = { subject, institution: null, environment: null }
  await store.redact({ ...search, ...(await store.findSubject(search, 100)) }, LATER)
}

function contentsOf(file: string): string {
  return ['', '-wal'].map((suffix) => readFileSync(`${file}${suffix}`, 'latin1')).join()
}

it('whatever is removed, in whatever order, the database is sound and the chain of hashes holds', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await fill(store)
  const steps = [
    () => redact(store, 'Ana-of-2'),
    () => remove(store, 'payload', [3]),
    () => remove(store, 'metadata', [3]),
    () => remove(store, 'payload', [1, 2]),
    () => remove(store, 'metadata', [1]),
    () => remove(store, 'metadata', [2]),
    () => remove(store, 'payload', [4]),
    () => remove(store, 'metadata', [4]),
  ]
  for (const step of steps) {
    await step()
    expect(violationsOf(file, { now: LATER, stuckAfterMs: 10_000 })).toEqual([])
    expect(verifyAuditChain(file, [], () => undefined).problems).toEqual([])
  }
  await store.storeCallback(anInterpretedCallback('{"identificador":"new"}'))
  expect(verifyAuditChain(file, [], () => undefined)).toMatchObject({ problems: [], events: 1 })
  expect((await store.listEvents({}, 9)).events.map(({ position }) => position)).toEqual([7])
})

it('nothing of what was redacted is left in the file, nor in its log once that is emptied', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  const secret = (n: number) => `{"identificador":"${n % 2 === 0 ? 'Ana' : 'Eva'}","name":"${'secret-'.repeat(n)}"}`
  for (let n = 1; n < 200; n++) await store.storeCallback(anInterpretedCallback(secret(n)))
  await store.storeCallback(anInterpretedCallback(`{"pix":[${secret(2)},{"identificador":"B"}]}`, ['/pix']))
  expect(contentsOf(file).includes('secret-')).toBe(true)
  await redact(store, 'Ana')
  await redact(store, 'Eva')
  expect(await store.checkpointWal()).toBe(true)
  expect(['secret-', '"B"'].map((text) => contentsOf(file).includes(text))).toEqual([false, true])
})

it('the log is not emptied while somebody reads in it, which is said and waited for by no one', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await fill(store)
  const reader = openForReading(file)
  reader.exec('begin')
  reader.prepare('select count(*) from events').get()
  await redact(store, 'last')
  expect(await store.checkpointWal()).toBe(false)
  reader.exec('commit')
  expect(await store.checkpointWal()).toBe(true)
  reader.close()
})
