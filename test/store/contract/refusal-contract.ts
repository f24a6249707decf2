import { describe, expect, it } from 'vitest'
import type { NewRefusal } from '../../../src/domain/refusal.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aRefusal, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** What every Store promises of refusals. */
export function describeRefusals(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const record = (store: Store, ...refusals: NewRefusal[]) => store.recordRefusals({ refusals, probes: [] })
  const numbers = (store: Store, filter: Parameters<Store['listRefusals']>[0]) =>
    store.listRefusals(filter, 100).then((page) => page.refusals.map((refusal) => refusal.id))

  describe(`${name}: refusals`, () => {
    it('come back as they were recorded, in another process too', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const certificate = {
        subject: 'CN=a',
        issuer: 'CN=b',
        fingerprint: 'ab'.repeat(32),
        notBefore: 1,
        notAfter: null,
      }
      const refusal = aRefusal({
        code: 'expired',
        rawCode: 'CERT_HAS_EXPIRED',
        detail: '/x',
        environment: 'sandbox',
        serverName: 'calls.example',
        chain: [certificate],
      })
      await record(store, refusal)
      await store.close()

      const reopened = await underTest.reopen()

      expect(await reopened.getRefusal(1)).toEqual({ id: 1, ...refusal, isProbe: false })
      expect(await reopened.getRefusal(2)).toBeNull()
    })

    it('are no event, and take no position', async () => {
      const store = await openStore()
      await record(store, aRefusal(), aRefusal())
      await store.storeCallback(aCallback())
      expect((await store.listEvents({}, 10)).events.map((event) => event.position)).toEqual([1])
    })

    it('are found by reason, address, listener, environment and time, and by several of them', async () => {
      const store = await openStore()
      await record(
        store,
        aRefusal(),
        aRefusal({ code: 'expired', environment: 'sandbox' }),
        aRefusal({ remoteAddress: '192.0.2.2', listener: 'charges' }),
        aRefusal({ refusedAt: NOON + 1000, code: 'expired' }),
        aRefusal({ code: 'unknown_path', environment: 'bank-a/sandbox' }),
      )
      expect(await numbers(store, { codes: ['expired'] })).toEqual([2, 4])
      expect(await numbers(store, { codes: ['expired', 'no_certificate'] })).toEqual([1, 2, 3, 4])
      expect(await numbers(store, { address: '192.0.2.2' })).toEqual([3])
      expect(await numbers(store, { listener: 'callbacks' })).toEqual([1, 2, 4, 5])
      expect(await numbers(store, { environment: 'sandbox' })).toEqual([2, 5])
      expect(await numbers(store, { institution: 'bank-a' })).toEqual([5])
      expect(await numbers(store, { refusedFrom: NOON + 1 })).toEqual([4])
      expect(await numbers(store, { refusedTo: NOON + 1, codes: ['expired'] })).toEqual([2])
    })

    it('are paged by number in both directions, and a page moves past what its filter skipped', async () => {
      const store = await openStore()
      await record(store, ...Array.from({ length: 5 }, () => aRefusal()), aRefusal({ code: 'expired' }))
      const page = async (filter: Parameters<Store['listRefusals']>[0]) => {
        const { refusals, next, more } = await store.listRefusals(filter, 2)
        return [refusals.map((refusal) => refusal.id), next, more]
      }
      expect(await page({})).toEqual([[1, 2], 2, true])
      expect(await page({ after: 4, codes: ['no_certificate'] })).toEqual([[5], 6, false])
      expect(await page({ after: 6 })).toEqual([[], 6, false])
      expect(await page({ newestFirst: true })).toEqual([[6, 5], 5, true])
      expect(await page({ newestFirst: true, before: 3 })).toEqual([[2, 1], 0, false])
      expect(await store.latestRefusal()).toBe(6)
    })

    it('are marked as the probe: those without a certificate, of the address, since then', async () => {
      const store = await openStore()
      await record(store, aRefusal({ refusedAt: NOON - 1 }), aRefusal({ code: 'expired' }))
      const probe = { address: '192.0.2.1', since: NOON }
      const refusals = [aRefusal(), aRefusal({ remoteAddress: '192.0.2.2' }), aRefusal()]

      expect(await store.recordRefusals({ refusals, probes: [probe] })).toBe(2)
      expect(await store.recordRefusals({ refusals: [], probes: [probe] })).toBe(0)

      const { refusals: kept } = await store.listRefusals({}, 10)
      expect(kept.filter((refusal) => refusal.isProbe).map((refusal) => refusal.id)).toEqual([3, 5])
    })

    it('of identified callers are kept apart: others displace none, and of themselves the newest 1,000 stay', async () => {
      const store = await openStore()
      const identified = aRefusal({ code: 'unknown_path', environment: 'production' })
      await record(store, identified, ...Array.from({ length: 1500 }, () => aRefusal()))
      expect(await numbers(store, { codes: ['unknown_path'] })).toEqual([1])
      await record(store, ...Array.from({ length: 1000 }, () => identified))
      const { refusals } = await store.listRefusals({ codes: ['unknown_path'] }, 2000)
      expect([refusals.length, refusals[0]?.id]).toEqual([1000, 1502])
    })

    it('are bounded: the newest 1,000 of an address, and the newest 10,000', async () => {
      const store = await openStore()
      const of = (address: number, count: number) =>
        Array.from({ length: count }, () => aRefusal({ remoteAddress: `192.0.2.${address}` }))
      await record(store, ...of(0, 1), ...of(1, 1500))
      expect(await numbers(store, { address: '192.0.2.0' })).toEqual([1])
      expect((await store.listRefusals({ address: '192.0.2.1' }, 2000)).refusals).toHaveLength(1000)

      for (let address = 2; address < 12; address++) await record(store, ...of(address, 950))

      const { refusals } = await store.listRefusals({}, 20_000)
      expect(refusals).toHaveLength(10_000)
      expect(refusals.at(-1)?.id).toBe(1501 + 9500)
      expect(await numbers(store, { address: '192.0.2.0' })).toEqual([])
    })
  })
}
