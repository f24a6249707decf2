import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONSUMERS_PER_OWNER, type ConsumerKey } from '../../../src/domain/consumer.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { createReaders, readerCommands } from '../models/reader-model.ts'
import type { StoreUnderTest } from './store-contract.ts'

const BOOKS: ConsumerKey = { owner: null, name: 'books' }
const batch = (id: string, expiresAt = NOON + 1000) => ({ id, expiresAt })

/** What every Store promises of consumers. */
export function describeConsumers(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  describe(`${name}: consumers`, () => {
    it('are made by what they lease first, and keep it in another process too', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      expect(await store.getConsumer(BOOKS)).toBeNull()
      expect(await store.leaseBatch(BOOKS, { after: 0, end: 5, gapsReportedAt: 0 }, batch('one'), NOON)).toBe('leased')
      const lent = {
        ...BOOKS,
        position: 0,
        gapsReportedAt: 0,
        createdAt: NOON,
        acknowledgedAt: null,
        batch: { id: 'one', end: 5, expiresAt: NOON + 1000 },
      }
      expect(await store.getConsumer(BOOKS)).toEqual(lent)
      await store.close()

      const reopened = await underTest.reopen()
      expect(await reopened.listConsumers()).toEqual([lent])
      const acknowledged = { ...lent, position: 5, batch: null, acknowledgedAt: NOON + 1 }
      expect(await reopened.acknowledgeBatch(BOOKS, 'one', null, NOON + 1)).toEqual(acknowledged)
      await reopened.close()

      const again = await underTest.reopen()
      expect(await again.getConsumer(BOOKS)).toEqual(acknowledged)
    })

    it('lag behind the first event after their position', async () => {
      const store = await createStoreUnderTest().open()
      for (const n of [1, 2])
        await store.storeCallback(aCallback({ text: `${n}`, receivedAt: NOON + n, facts: [aFact()] }))
      expect(await store.listLags([1, 0, 2])).toEqual([
        { events: 1, oldestAt: NOON + 2 },
        { events: 2, oldestAt: NOON + 1 },
        { events: 0, oldestAt: null },
      ])
    })

    it('lease one batch at a time, from where they stand', async () => {
      const store = await createStoreUnderTest().open()
      const lease = (after: number, id: string, now = NOON) =>
        store.leaseBatch(BOOKS, { after, end: after + 2, gapsReportedAt: 0 }, batch(id, now + 1000), now)
      expect(await lease(3, 'early')).toBe('elsewhere')
      expect(await store.getConsumer(BOOKS)).toBeNull()
      expect(await Promise.all([lease(0, 'one'), lease(0, 'two')])).toEqual(['leased', 'elsewhere'])
      expect(await lease(0, 'three', NOON + 999)).toBe('elsewhere')
      expect(await lease(0, 'four', NOON + 1000)).toBe('leased')
      expect(await store.acknowledgeBatch(BOOKS, 'one', null, NOON + 1000)).toBe('not out')
      expect(await store.acknowledgeBatch(BOOKS, 'four', null, NOON + 1000)).toMatchObject({ position: 2 })
      expect(await lease(0, 'five', NOON + 1000)).toBe('elsewhere')
      expect(await lease(2, 'six', NOON + 1000)).toBe('leased')
    })

    it('move past a part of a batch, and past nothing outside of it', async () => {
      const store = await createStoreUnderTest().open()
      await store.seekConsumer(BOOKS, 10, NOON)
      await store.leaseBatch(BOOKS, { after: 10, end: 20, gapsReportedAt: 0 }, batch('one'), NOON)
      expect(await store.acknowledgeBatch(BOOKS, 'one', 9, NOON)).toBe('outside')
      expect(await store.acknowledgeBatch(BOOKS, 'one', 21, NOON)).toBe('outside')
      expect(await store.acknowledgeBatch(BOOKS, 'one', 15, NOON)).toMatchObject({ position: 15, batch: null })
      expect(await store.acknowledgeBatch(BOOKS, 'one', 20, NOON)).toBe('not out')
    })

    it('give a batch back at their own position, without an acknowledgment', async () => {
      const store = await createStoreUnderTest().open()
      await store.seekConsumer(BOOKS, 10, NOON)
      await store.leaseBatch(BOOKS, { after: 10, end: 20, gapsReportedAt: 0 }, batch('one'), NOON)
      const back = { position: 10, batch: null, acknowledgedAt: null }
      expect(await store.acknowledgeBatch(BOOKS, 'one', 10, NOON)).toMatchObject(back)
      expect(await store.leaseBatch(BOOKS, { after: 10, end: 20, gapsReportedAt: 0 }, batch('two'), NOON)).toBe(
        'leased',
      )
    })

    it('move past what was not asked for, unless something is out', async () => {
      const store = await createStoreUnderTest().open()
      expect(await store.leaseBatch(BOOKS, { after: 0, end: 7, gapsReportedAt: 0 }, null, NOON)).toBe('leased')
      expect(await store.getConsumer(BOOKS)).toMatchObject({ position: 7, batch: null })
      await store.leaseBatch(BOOKS, { after: 7, end: 9, gapsReportedAt: 0 }, batch('one'), NOON)
      expect(await store.leaseBatch(BOOKS, { after: 7, end: 9, gapsReportedAt: 0 }, null, NOON + 999)).toBe('elsewhere')
      expect(await store.leaseBatch(BOOKS, { after: 7, end: 9, gapsReportedAt: 0 }, null, NOON + 1000)).toBe('leased')
      expect(await store.getConsumer(BOOKS)).toMatchObject({ position: 9, batch: null })
    })

    it('take what is out back when they are moved or deleted', async () => {
      const store = await createStoreUnderTest().open()
      await store.leaseBatch(BOOKS, { after: 0, end: 5, gapsReportedAt: 0 }, batch('one'), NOON)
      expect(await store.seekConsumer(BOOKS, 0, NOON)).toMatchObject({ position: 0, batch: null })
      expect(await store.acknowledgeBatch(BOOKS, 'one', null, NOON)).toBe('not out')
      await store.leaseBatch(BOOKS, { after: 0, end: 5, gapsReportedAt: 0 }, batch('two'), NOON)
      expect(await store.deleteConsumer(BOOKS)).toBe(true)
      expect(await store.deleteConsumer(BOOKS)).toBe(false)
      expect(await store.acknowledgeBatch(BOOKS, 'two', null, NOON)).toBe('not out')
      expect(await store.listConsumers()).toEqual([])
    })

    it('have names that are their owner’s alone, and are so many at most', async () => {
      const store = await createStoreUnderTest().open()
      const key = (owner: string | null, n: number) => ({ owner, name: `reader-${n}` })
      const numbers = Array.from({ length: CONSUMERS_PER_OWNER }, (_, n) => n)
      await Promise.all(numbers.map((n) => store.seekConsumer(key('cli_0123456789', n), n, NOON)))
      const more = key('cli_0123456789', CONSUMERS_PER_OWNER)
      expect(await store.leaseBatch(more, { after: 0, end: 1, gapsReportedAt: 0 }, batch('one'), NOON)).toBe('too many')
      expect(await store.seekConsumer(more, 1, NOON)).toBeNull()
      expect(await store.leaseBatch(key(null, 1), { after: 0, end: 1, gapsReportedAt: 0 }, batch('two'), NOON)).toBe(
        'leased',
      )
      expect(await store.getConsumer(key('cli_0123456789', 1))).toMatchObject({ position: 1, batch: null })
      expect(await store.listConsumers()).toHaveLength(CONSUMERS_PER_OWNER + 1)
    })

    it('find the place of a time by when events were received', async () => {
      const store = await createStoreUnderTest().open()
      expect(await store.positionAt(NOON)).toBe(0)
      for (const [i, minute] of [0, 1, 1, 5].entries()) {
        const receivedAt = NOON + minute * 60_000
        await store.storeCallback(aCallback({ text: `${i}`, receivedAt, facts: [aFact({ kind: 'operator' })] }))
      }
      const minutes = [-1, 0, 0.5, 1, 2, 5, 6]
      const positions = await Promise.all(minutes.map((minute) => store.positionAt(NOON + minute * 60_000)))
      expect(positions).toEqual([0, 0, 1, 1, 3, 3, 4])
    })
  })

  describe(`${name}: readers`, () => {
    it('never miss an event that they ask for and never get one twice, whatever happens meanwhile', async () => {
      await fc.assert(
        fc.asyncProperty(readerCommands, async (commands) => {
          const underTest = createStoreUnderTest()
          let store = await underTest.open()
          const readers = createReaders()
          for (const command of commands) {
            if (command.do === 'restart') {
              await store.close()
              store = await underTest.reopen()
            } else await readers.run(command, store)
          }
          await readers.finish(store)
          await store.close()
        }),
        { numRuns: 6 },
      )
    }, 120_000)
  })

  it(`${name}: a callback tells which of its facts became events`, async () => {
    const store = await createStoreUnderTest().open()
    const [old, fresh] = ['old', 'fresh'].map((subject) => aFact({ subject, hash: Buffer.alloc(32, subject) })) as [
      ReturnType<typeof aFact>,
      ReturnType<typeof aFact>,
    ]
    expect((await store.storeCallback(aCallback({ facts: [old] }))).newFacts).toMatchObject([{ subject: 'old' }])
    expect((await store.storeCallback(aCallback({ facts: [old, fresh] }))).newFacts).toMatchObject([
      { subject: 'fresh' },
    ])
    expect((await store.storeCallback(aCallback({ facts: [old] }))).newFacts).toBeUndefined()
  })
}
