import { describe, expect, it } from 'vitest'
import type { DestinationSettings } from '../../../src/domain/destination.ts'
import type { DestinationChanges } from '../../../src/domain/destination-changes.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const [OLD, NEW, NEWER] = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(24, n).toString('base64')}`) as [
  string,
  string,
  string,
]

/** As the dispatcher does: removed, then nothing waits for it any more. */
async function removeWhole(store: Store, id: number): Promise<void> {
  await store.deleteDestination(id)
  await store.cancelDeliveries(id, 1000, NOON)
}
const everKept = async (store: Store) => (await store.listDestinations({ removed: true })).map(({ id }) => id)

/** What every Store promises of destinations that are changed. */
export function describeDestinations(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()

  async function withDestination(settings: Partial<DestinationSettings> = {}) {
    const store = await openStore()
    const made = await store.createDestination(aDestination(settings), NOON)
    const update = (changes: DestinationChanges) => store.updateDestination(made.id, changes, NOON + 1)
    return { store, made, update }
  }

  describe(`${name}: names and rows of destinations`, () => {
    it('have names that are one owner’s alone: a conflict tells nothing of others', async () => {
      const store = await openStore()
      await store.createDestination(aDestination({ name: 'shop' }), NOON)
      for (const owner of ['cli_a', 'cli_b']) {
        await store.createDestination(aDestination({ name: 'shop' }), NOON, owner)
        const again = store.createDestination(aDestination({ name: 'shop' }), NOON, owner)
        await expect(again).rejects.toMatchObject({ code: 'conflict' })
      }
      expect((await store.listDestinations()).map((d) => `${d.name} ${d.owner}`)).toEqual([
        'shop null',
        'shop cli_a',
        'shop cli_b',
      ])
    })

    it('leave no row behind where nothing was ever to be delivered, and their ids are never given again', async () => {
      const store = await openStore()
      await store.storeCallback(aCallback())
      const ids: number[] = []
      for (let count = 0; count < 30; count++) {
        const { id } = await store.createDestination(aDestination(), NOON)
        ids.push(id)
        await removeWhole(store, id)
      }
      expect(new Set(ids).size).toBe(30)
      expect(await everKept(store)).toEqual([])
    })
  })

  describe(`${name}: changed destinations`, () => {
    it('have what was named and keep the rest, their secrets too', async () => {
      const store = await openStore()
      const made = await store.createDestination(aDestination({ rateLimit: 5 }), NOON, 'client-1')
      const changes = {
        name: 'shop',
        url: 'https://shop.example/',
        rateLimit: null,
        format: 'event',
        kinds: ['payment'],
      } as const
      const changed = await store.updateDestination(made.id, changes, NOON + 1)
      expect(changed).toEqual({ ...made, ...changes })
      expect(await store.listDestinations()).toEqual([changed])
    })

    it('have of their headers and subjects only those changed that were named', async () => {
      const headers = [
        ['Authorization', 'a'],
        ['x-b', 'b'],
      ] as const
      const { update } = await withDestination({ headers, subjects: { exact: ['1'], prefix: [] } })
      const { headers: merged } = await update({
        headers: [
          ['authorization', 'c'],
          ['X-B', null],
          ['x-d', 'd'],
        ],
      })
      expect(merged).toEqual([
        ['authorization', 'c'],
        ['x-d', 'd'],
      ])
      expect((await update({ subjects: { prefix: ['2'] } })).subjects).toEqual({ exact: ['1'], prefix: ['2'] })
      const { headers: none, subjects } = await update({ headers: null, subjects: null })
      expect([none, subjects]).toEqual([[], null])
    })

    it('are left as they are by a change that makes nonsense of the whole', async () => {
      const headers = Array.from({ length: 32 }, (_, index) => [`x-${index}`, '1'] as const)
      const { store, made, update } = await withDestination({ headers, subjects: { exact: ['1'], prefix: [] } })
      const refused: DestinationChanges[] = [
        { name: 'shop', subjects: { exact: [] } },
        { name: 'shop', headers: [['x-more', '1']] },
      ]
      for (const changes of refused) await expect(update(changes)).rejects.toMatchObject({ code: 'request_invalid' })
      expect(await store.listDestinations()).toEqual([made])
    })

    it('have no name that is taken, and none of the configuration file is changed', async () => {
      const { store, made, update } = await withDestination()
      await store.syncDestinations([aDestination({ name: 'configured' })], NOON)
      await expect(update({ name: 'configured' })).rejects.toMatchObject({ code: 'conflict' })
      expect(await update({ name: made.name })).toEqual(made)
      const id = (await store.listDestinations())[1]?.id as number
      const rotation = { secret: NEW, overlapUntil: NOON }
      for (const refused of [store.updateDestination(id, { rateLimit: 1 }, NOON), store.rotateSecret(id, rotation)])
        await expect(refused).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('SIGHUP') })
      await store.deleteDestination(made.id)
      await expect(update({ rateLimit: 1 })).rejects.toMatchObject({ code: 'not_found' })
    })

    it('are chosen by their new settings from the next callback on', async () => {
      const { store, update } = await withDestination({ subjects: { exact: ['1'], prefix: [] } })
      const queued = async (subject: string) =>
        (await store.storeCallback(aCallback({ text: subject, facts: [aFact({ subject })] }))).destinationIds.length
      expect([await queued('1'), await queued('2')]).toEqual([1, 0])
      await update({ subjects: { exact: ['2'] } })
      expect([await queued('1'), await queued('2')]).toEqual([0, 1])
    })

    it.each(['update', 'configuration'])('that get an order put in line what they get already: %s', async (by) => {
      const store = await openStore()
      const settings = aDestination()
      if (by === 'update') await store.createDestination(settings, NOON)
      else await store.syncDestinations([settings], NOON)
      for (const subject of ['a', 'b', 'a', null]) await store.storeCallback(aCallback({ facts: [aFact({ subject })] }))
      if (by === 'update') await store.updateDestination(1, { order: 'subject' }, NOON)
      else await store.syncDestinations([{ ...settings, order: 'subject' }], NOON)
      await store.storeCallback(aCallback({ facts: [aFact({ subject: 'b' })] }))
      expect(await statesOf(store)).toEqual(['pending', 'pending', 'blocked', 'pending', 'blocked'])
    })
  })

  describe(`${name}: rotated secrets`, () => {
    it('are the new one and the one before it, however often, in another process too', async () => {
      const under = createStoreUnderTest()
      const store = await under.open()
      await store.createDestination(aDestination({ secrets: [OLD] }), NOON)
      await store.rotateSecret(1, { secret: NEW, overlapUntil: NOON + 1 })
      const rotated = await store.rotateSecret(1, { secret: NEWER, overlapUntil: NOON + 2 })
      expect(rotated).toMatchObject({ secrets: [NEWER, NEW], previousSecretUntil: NOON + 2 })
      await expect(store.rotateSecret(1, { secret: NEWER, overlapUntil: NOON })).rejects.toMatchObject({
        code: 'conflict',
      })
      await store.close()
      const again = await under.reopen()
      expect(await again.listDestinations()).toEqual([rotated])
    })
  })

  describe(`${name}: registered destinations`, () => {
    const settings = aDestination({ name: 'registration-1', kinds: ['payment'], environments: ['sandbox'] })
    const at = (id: string, owner: string | null = 'client-1') => ({ id, owner })

    it('are those of their client, with the id that they were registered with, in another process too', async () => {
      const under = createStoreUnderTest()
      const store = await under.open()
      const { destination, isNew } = await store.registerDestination(settings, at('uuid-1'), NOON)
      const more = { state: 'active', origin: 'registration', registrationId: 'uuid-1', owner: 'client-1' }
      expect([isNew, destination]).toMatchObject([true, { ...settings, ...more, createdAt: NOON }])
      await store.close()
      const again = await under.reopen()
      expect(await again.listDestinations()).toEqual([destination])
      expect((await again.createDestination(aDestination(), NOON)).registrationId).toBeNull()
    })

    it('are made once for a client, its kinds and a URL, however that is spelled, two at once too', async () => {
      const store = await openStore()
      const register = (n: number, changes: Partial<DestinationSettings> = {}, owner: string | null = 'client-1') =>
        store.registerDestination({ ...settings, name: `registration-${n}`, ...changes }, at(`uuid-${n}`, owner), NOON)
      const both = await Promise.all([register(1), register(2), register(3, { url: 'HTTPS://BOOKS.example:443/hook' })])
      expect(both.map(({ isNew, destination }) => [isNew, destination.registrationId])).toEqual([
        [true, 'uuid-1'],
        [false, 'uuid-1'],
        [false, 'uuid-1'],
      ])
      const others = [
        await register(4, {}, 'client-2'),
        await register(5, {}, null),
        await register(6, { kinds: ['registration'] }),
        await register(7, { url: 'https://books.example/HOOK' }),
      ]
      expect(others.map(({ isNew }) => isNew)).toEqual([true, true, true, true])
      await store.pauseDestination(1, 'gone')
      expect((await register(8)).isNew).toBe(false)
      await store.deleteDestination(1)
      expect(await register(9)).toMatchObject({ isNew: true, destination: { registrationId: 'uuid-9' } })
      // A destination that was made otherwise is no registration.
      await store.createDestination({ ...settings, name: 'own', url: 'https://own.example/' }, NOON, 'client-1')
      expect((await register(10, { url: 'https://own.example/' })).isNew).toBe(true)
    })

    it('count with the others of their client; the one that is there is given beyond the limit too', async () => {
      const store = await openStore()
      const register = (n: number) => {
        const url = `https://books.example/${n}`
        return store.registerDestination({ ...settings, name: `registration-${n}`, url }, at(`uuid-${n}`), NOON)
      }
      await store.createDestination(aDestination(), NOON, 'client-1')
      for (let n = 1; n < 20; n++) await register(n)
      await expect(register(20)).rejects.toMatchObject({ code: 'conflict' })
      expect((await register(19)).isNew).toBe(false)
    })

    it('move to another URL with all else they have, unless their owner has registered that one', async () => {
      const under = createStoreUnderTest()
      const store = await under.open()
      const { destination } = await store.registerDestination(settings, at('uuid-1'), NOON)
      const other = { ...settings, name: 'registration-2', url: 'https://other.example/' }
      await store.registerDestination(other, at('uuid-2'), NOON)
      await store.registerDestination({ ...other, url: 'https://third.example/' }, at('uuid-3', 'client-2'), NOON)
      expect(await store.moveRegistration(1, 'https://OTHER.example')).toMatchObject({
        isNew: false,
        destination: { registrationId: 'uuid-2' },
      })
      const moved = { ...destination, url: 'https://third.example/' }
      expect(await store.moveRegistration(1, moved.url)).toEqual({ destination: moved, isNew: true })
      await expect(store.moveRegistration(99, moved.url)).rejects.toMatchObject({ code: 'not_found' })
      await store.close()
      const again = await under.reopen()
      expect((await again.listDestinations())[0]).toEqual(moved)
    })

    it('keep their URL and kinds; all else may be changed', async () => {
      const store = await openStore()
      const { destination } = await store.registerDestination(settings, at('uuid-1'), NOON)
      for (const changes of [{ url: 'https://other.example/' }, { kinds: null }, { kinds: ['payment', 'charge'] }])
        await expect(store.updateDestination(1, changes, NOON)).rejects.toMatchObject({ code: 'conflict' })
      const changes = { name: 'books', url: settings.url, kinds: ['payment'], timeoutMs: 5, format: 'event' } as const
      expect(await store.updateDestination(1, changes, NOON)).toEqual({ ...destination, ...changes })
    })
  })

  describe(`${name}: destinations of clients`, () => {
    it('are at most 20 of one client; what was deleted counts no more', async () => {
      const store = await openStore()
      const make = (n: number, owner?: string) =>
        store.createDestination(aDestination({ name: `app-${n}` }), NOON, owner)
      for (let n = 0; n < 20; n++) await make(n, 'client-1')
      await expect(make(20, 'client-1')).rejects.toMatchObject({ code: 'conflict' })
      const [mine, others] = [await make(20), await make(21, 'client-2')]
      expect([mine.owner, others.owner]).toEqual([null, 'client-2'])
      await store.deleteDestination(1)
      expect((await make(22, 'client-1')).owner).toBe('client-1')
    })
  })
}

async function statesOf(store: Store): Promise<string[]> {
  return (await store.listDeliveries({}, 100)).map(({ state }) => state)
}

/** What retention does to destinations that were removed. */
export function describeRemovedDestinations(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  describe(`${name}: rows of removed destinations`, () => {
    it('keep their row while deliveries or replays refer to it, and go with the last delivery', async () => {
      const store = await createStoreUnderTest().open()
      const used = await store.createDestination(aDestination({ name: 'used' }), NOON)
      await store.storeCallback(aCallback())
      await removeWhole(store, used.id)
      const replayed = await store.createDestination(aDestination({ name: 'replayed', kinds: ['charge'] }), NOON)
      const filter = { kinds: ['charge'] }
      const upTo = await store.latestPosition()
      await store.createReplay(
        { destinationId: replayed.id, mode: 'all', filter, owner: null, matched: 0, leftOut: 0, upTo },
        NOON,
      )
      await removeWhole(store, replayed.id)
      expect(await everKept(store)).toEqual([used.id, replayed.id])
      const search = { kind: 'payment', before: NOON + 1, after: null } as const
      for (const part of ['payload', 'metadata'] as const) {
        const { callbacks } = await store.findRemovable({ ...search, part }, 10)
        const callbackIds = callbacks.map(({ callbackId }) => callbackId)
        await store.removeAged({ part, before: NOON + 1, callbackIds }, NOON)
      }
      expect(await everKept(store)).toEqual([replayed.id])
    })
  })
}
