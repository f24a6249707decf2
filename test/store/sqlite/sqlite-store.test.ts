import { readFileSync, statSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore, openStoreReader } from '../../../src/store/open-store.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import { aCallback, aDestination, aHeldCallback } from '../../support/builders.ts'
import { until } from '../../support/until.ts'
import { optionsFor } from '../contract/on-sqlite.ts'

describe('the SQLite file', () => {
  it('belongs to one process at a time', async () => {
    const options = optionsFor()
    const store = await openStore(options)
    await expect(openStore(options)).rejects.toMatchObject({ code: 'store_locked' })
    await store.close()
    await (await openStore(options)).close()
  })

  it('is refused when a newer Portaria wrote it', async () => {
    const options = optionsFor()
    await (await openStore(options)).close()
    const db = new Database(options.file)
    db.pragma('user_version = 9999')
    db.close()
    await expect(openStore(options)).rejects.toMatchObject({
      code: 'store_newer',
      message: expect.stringContaining('newer Portaria'),
    })
  })

  it('is explained when it is no database, and left as it was', async () => {
    const options = optionsFor()
    writeFileSync(options.file, 'not a database, but something of value'.repeat(100))
    await expect(openStore(options)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(options.file),
    })
    expect(readFileSync(options.file, 'utf8')).toMatch(/^not a database/)
  })

  it('can be read beside its writer and without it, and is named when missing', async () => {
    const options = optionsFor()
    await expect(openStoreReader(options.file)).rejects.toMatchObject({ code: 'store_missing' })
    const store = await openStore(options)
    const beside = await openStoreReader(options.file)
    await store.storeCallback(aCallback())
    expect(await beside.latestPosition()).toBe(1)
    await beside.close()
    await store.close()
    const without = await openStoreReader(options.file)
    expect((await without.listEvents({}, 10)).events).toHaveLength(1)
    await without.close()
  })

  it('its writer says what waits for it, and for how long it has been silent, without being asked', async () => {
    const options = optionsFor()
    const store = await openStore(options)
    const atRest = store.pulse()
    const other = new Database(options.file)
    other.exec('begin immediate')
    const stored = store.storeCallback(aCallback())
    const waiting = await until(
      () => store.pulse(),
      ({ silentMs }) => silentMs > 20,
    )
    other.exec('rollback')
    other.close()
    await stored
    const silent = { waitingEvents: 0, waitingBytes: 0, silentMs: 0 }
    expect([atRest, store.pulse()]).toEqual([silent, silent])
    expect(waiting).toMatchObject({ waitingEvents: 1, waitingBytes: aCallback().body.length })
    await store.close()
  })

  it('keeps its log of changes as small as its setting says, and gives back what a long read made it grow', async () => {
    const walBytes = 256 * 1024
    const options = optionsFor({ walBytes })
    const store = await openStore(options)
    let last = 0
    const storeSome = async () => {
      for (const body of Array.from({ length: 60 }, () => Buffer.alloc(20_000, String(++last))))
        await store.storeCallback(aCallback({ body }))
    }
    const logSize = () => statSync(`${options.file}-wal`).size

    await storeSome()
    const atFirst = logSize()
    const reader = new Database(options.file, { readonly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from events').get()
    await storeSome()
    const held = logSize()
    reader.exec('commit')
    reader.close()
    await storeSome()

    expect([atFirst < 2 * walBytes, held > 4 * walBytes, logSize() < 2 * walBytes]).toEqual([true, true, true])
    await store.close()
  })
})

describe('the queue in front of the writer', () => {
  it('is bounded: beyond it a callback is refused, and room comes back', async () => {
    const store = await openStore(optionsFor({ queue: { events: 3, bytes: 1 << 20 } }))
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, (_, i) => store.storeCallback(aCallback({ text: `{"i":${i}}` }))),
    )
    expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'stored'))).toEqual([
      'stored',
      'stored',
      'stored',
      'queue_full',
      'queue_full',
    ])
    await store.storeCallback(aCallback({ text: '{"i":6}' }))
    await store.close()
  })

  /** The callbacks of each commit. `storeMany` calls the store without a break. */
  async function openCounting() {
    const commits: number[] = []
    const options = optionsFor({ onCommit: ({ callbacks }) => void commits.push(callbacks) })
    const store = await openStore(options)
    let last = 0
    const storeMany = (count: number) =>
      Promise.all(Array.from({ length: count }, () => store.storeCallback(aCallback({ text: `{"i":${++last}}` }))))
    return { file: options.file, store, storeMany, commits }
  }

  it('is sent while a batch is in flight as soon as 24 callbacks wait, but never a third batch', async () => {
    const { store, storeMany, commits } = await openCounting()
    await storeMany(1 + 24 + 60)
    await store.close()
    expect(commits).toEqual([1, 24, 60])
  })

  it('waits for the batch in flight where the batch before took longer than 2 ms', async () => {
    const { file, store, storeMany, commits } = await openCounting()
    const other = new Database(file)
    other.exec('begin immediate')
    const slow = storeMany(1)
    await until(
      () => store.pulse(),
      ({ silentMs }) => silentMs > 20,
    )
    other.exec('rollback')
    other.close()
    await slow
    await storeMany(1 + 60)
    await store.close()
    expect(commits).toEqual([1, 1, 60])
  })

  it('is written down before the store closes', async () => {
    const options = optionsFor()
    const store = await openStore(options)
    const stored = Promise.all(
      Array.from({ length: 200 }, (_, i) => store.storeCallback(aCallback({ text: `{"i":${i}}` }))),
    )
    await store.close()
    await stored
    const reader = await openStoreReader(options.file)
    expect(await reader.latestPosition()).toBe(200)
    await reader.close()
  })
})

describe('a batch that fails', () => {
  it('is repeated one callback at a time: what cannot be stored as read is stored unparsed, the others are whole', async () => {
    const options = optionsFor()
    const store = await openStore(options)
    await store.createDestination(aDestination(), 0)
    // A fact without the text that every event must have: the store's own constraint refuses it.
    const bad = aCallback({
      text: '{"bad":1}',
      facts: [
        {
          ...aCallback().facts[0],
          kind: null as never,
          subject: null,
          status: null,
          hash: null,
          span: null,
          part: 1,
          parts: 1,
        },
      ],
    })
    const answers = await Promise.all(
      [...Array(10).keys()].map((i) => store.storeCallback(i === 5 ? bad : aCallback({ text: `{"i":${i}}` }))),
    )
    expect(answers.map((answer) => answer.eventIds.length)).toEqual(Array(10).fill(1))
    const { events } = await store.listEvents({}, 20)
    expect(
      events.filter((event) => event.mark === 'unparsed').map((event) => Buffer.from(event.body).toString()),
    ).toEqual(['{"bad":1}'])
    await store.close()
    expect(verifyAuditChain(options.file, [], () => undefined)).toMatchObject({ problems: [], events: 10 })
  })

  it('holds back what it stores unparsed, where any fact of it was held back', async () => {
    const store = await openStore(optionsFor())
    await store.createDestination(aDestination(), 0)
    const held = aHeldCallback('[{"account":"own"},{"account":"theirs"}]', [''])
    const [own, theirs] = held.facts
    const bad = { ...held, facts: [own, { ...theirs, part: null as never }] as typeof held.facts }
    expect(await store.storeCallback(bad)).toMatchObject({ eventIds: [], destinationIds: [], quarantineIds: ['qtn_1'] })
    expect(await store.listQuarantine({}, 9)).toMatchObject([{ mark: 'unparsed', reason: 'account_missing' }])
    expect(await store.latestPosition()).toBe(0)
    await store.close()
  })

  it('answers for the one callback that cannot be stored at all, and for no other', async () => {
    const options = optionsFor()
    const store = await openStore(options)
    const hopeless = aCallback({ text: '{"bad":1}', environment: null as never })
    const answers = await Promise.allSettled(
      [...Array(5).keys()].map((i) => store.storeCallback(i === 2 ? hopeless : aCallback({ text: `{"i":${i}}` }))),
    )
    expect(answers.map((answer) => answer.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(await store.latestPosition()).toBe(4)
    await store.close()
    expect(verifyAuditChain(options.file, [], () => undefined)).toMatchObject({ problems: [], events: 4 })
  })
})

describe('a batch that cannot be sent to the writer', () => {
  it('fails with all of its calls, and no call gets the result of another', async () => {
    const store = await openStore(optionsFor())
    const storeOne = (n: number, headers = '["host","new"]') =>
      store.storeCallback(aCallback({ text: `{"i":${n}}`, headers }))
    const inFlight = storeOne(1, '[]')
    const waiting = Promise.allSettled(Array.from({ length: 23 }, (_, i) => storeOne(i + 2)))
    // As where there is no memory for the batch: no message can contain a function.
    const uncloneable = store.recordClock({ heartbeatAt: (() => 0) as never })
    await expect(uncloneable).rejects.toMatchObject({ code: 'store_unavailable' })
    const later = Array.from({ length: 30 }, (_, i) => storeOne(i + 100))

    expect((await waiting).map(({ status }) => status)).toEqual(Array(23).fill('rejected'))
    expect(await inFlight).toMatchObject({ callbackId: 1 })
    expect((await Promise.all(later)).map(({ callbackId }) => callbackId)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 2),
    )
    expect(store.pulse()).toEqual({ waitingEvents: 0, waitingBytes: 0, silentMs: 0 })
    await store.close()
  })
})
