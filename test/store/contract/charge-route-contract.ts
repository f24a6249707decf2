import { describe, expect, it } from 'vitest'
import type { ChargeReferences } from '../../../src/domain/event.ts'
import type { Realm } from '../../../src/domain/realm.ts'
import { hashOfSecret } from '../../../src/domain/secrets/client-secret.ts'
import type { NewChargeRoute } from '../../../src/domain/service/charge-route.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { anEntry, anOutcome, aTokenCallback } from './token-contract.ts'

const HOUR = 3_600_000
const KEY = { environment: 'production', resource: 'charge', resourceId: '77' } as const

function aRoute(owner: string | null, changes: Partial<NewChargeRoute> & { url?: string } = {}): NewChargeRoute {
  const { url = `https://${owner}.example/notify`, ...rest } = changes
  return { ...KEY, owner, settings: aDestination({ name: `route-${owner}`, url }), ...rest }
}

/** What every Store promises about the routes of charges. */
export function describeChargeRoutes(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  let last = 0

  /** The destinations that get a charge's event. */
  async function destinationsOf(store: Store, references?: ChargeReferences, environment: Realm = 'production') {
    const fact = aFact({ kind: 'charge', subject: '77', ...(references !== undefined && { references }) })
    const stored = await store.storeCallback(
      aCallback({ kind: 'charge', environment, text: `{"n":${++last}}`, facts: [fact] }),
    )
    const names = new Map((await store.listDestinations()).map(({ id, name }) => [id, name]))
    return stored.destinationIds.map((id) => names.get(id)).sort()
  }

  const OF_77: ChargeReferences = { charge: '77', subscription: '5' }

  describe(`${name}: charge routes`, () => {
    it('a routed charge goes to its app, to what its app subscribes, and to the operator, and to no other client', async () => {
      const store = await openStore()
      await store.createDestination(aDestination({ name: 'operator' }), NOON)
      for (const owner of ['shop', 'other'])
        await store.createDestination(aDestination({ name: `all-${owner}` }), NOON, owner)
      const opened = await store.openChargeRoute(aRoute('shop'), NOON)
      expect(opened).toMatchObject({ previous: null, isNewDestination: true, route: { ...KEY, isConfirmed: false } })
      expect(opened.destination).toMatchObject({ origin: 'route', owner: 'shop', url: 'https://shop.example/notify' })
      expect(await destinationsOf(store, OF_77)).toEqual(['all-shop', 'operator', 'route-shop'])
      expect(await destinationsOf(store)).toEqual(['all-other', 'all-shop', 'operator'])
      expect(await destinationsOf(store, { charge: '78', subscription: null })).toEqual([
        'all-other',
        'all-shop',
        'operator',
      ])
    })

    it('a route leads no charge of another institution, which may have the same id', async () => {
      const store = await openStore()
      await store.openChargeRoute(aRoute('shop'), NOON)
      expect(await destinationsOf(store, OF_77, 'bank-a/production')).toEqual([])
      expect(await destinationsOf(store, OF_77)).toEqual(['route-shop'])
    })

    it('the route of a charge comes before that of its subscription', async () => {
      const store = await openStore()
      await store.openChargeRoute(aRoute('sub', { resource: 'subscription', resourceId: '5' }), NOON)
      expect(await destinationsOf(store, OF_77)).toEqual(['route-sub'])
      await store.openChargeRoute(aRoute('shop'), NOON)
      expect(await destinationsOf(store, OF_77)).toEqual(['route-shop'])
      expect(await destinationsOf(store, { charge: null, subscription: '5' })).toEqual(['route-sub'])
    })

    it('resolved entries and facts from quarantine follow the route', async () => {
      const store = await openStore()
      const { destination } = await store.openChargeRoute(aRoute('shop'), NOON)
      await store.storeCallback(aTokenCallback('t'))
      const settled = await store.settleToken(anOutcome({ id: 1, version: 1 }, { entries: [anEntry(1)] }))
      expect(settled.destinationIds).toEqual([destination.id])
      const held = aFact({ kind: 'charge', references: OF_77, quarantine: 'account_foreign' })
      await store.storeCallback(aCallback({ kind: 'charge', facts: [held] }))
      expect(await store.releaseQuarantined(1, { by: 'operator', at: NOON })).toMatchObject({
        destinationIds: [destination.id],
      })
    })

    it('is refused to another app, until it is an hour old without a confirmation', async () => {
      const store = await openStore()
      await store.openChargeRoute(aRoute('shop'), NOON)
      await expect(store.openChargeRoute(aRoute('other'), NOON + HOUR)).rejects.toMatchObject({ code: 'conflict' })
      await store.openChargeRoute(aRoute('other'), NOON + HOUR + 1)
      await store.confirmChargeRoute(KEY, 'shop', NOON)
      expect(await store.getChargeRoute(KEY)).toMatchObject({ owner: 'other', isConfirmed: false })
      await store.confirmChargeRoute(KEY, 'other', NOON + 2 * HOUR)
      await expect(store.openChargeRoute(aRoute('shop'), NOON + 9 * HOUR)).rejects.toMatchObject({ code: 'conflict' })
    })

    it('the route of a revoked client is free', async () => {
      const store = await openStore()
      const client = {
        id: 'cli_1',
        name: 'shop',
        environment: 'any',
        scopes: [],
        secretHash: hashOfSecret('s'),
      } as const
      await store.createClient(client, NOON)
      await store.openChargeRoute(aRoute('cli_1'), NOON)
      await expect(store.openChargeRoute(aRoute('other'), NOON)).rejects.toMatchObject({ code: 'conflict' })
      await store.revokeClient('cli_1', NOON)
      expect(await store.openChargeRoute(aRoute('other'), NOON)).toMatchObject({ route: { owner: 'other' } })
    })

    it('an app has one destination for each URL, and a second route to it is confirmed for itself', async () => {
      const store = await openStore()
      const { destination } = await store.openChargeRoute(aRoute('shop'), NOON)
      await store.confirmChargeRoute(KEY, 'shop', NOON)
      const second = await store.openChargeRoute(aRoute('shop', { resourceId: '78' }), NOON)
      expect(second).toMatchObject({ isNewDestination: false, route: { destinationId: destination.id } })
      const again = await store.openChargeRoute(aRoute('shop'), NOON)
      expect([second.route.isConfirmed, again.route.isConfirmed]).toEqual([false, true])
    })

    it('a refusal of the service restores the route before it, unless it changed meanwhile', async () => {
      const store = await openStore()
      const first = await store.openChargeRoute(aRoute('shop'), NOON)
      const other = aRoute('shop', { settings: aDestination({ name: 'second', url: 'https://shop.example/2' }) })
      const second = await store.openChargeRoute(other, NOON)
      await store.restoreChargeRoute(second.route, second.previous)
      expect(await store.getChargeRoute(KEY)).toEqual(first.route)
      await store.restoreChargeRoute(second.route, null)
      expect(await store.getChargeRoute(KEY)).toEqual(first.route)
      await store.restoreChargeRoute(first.route, null)
      expect(await store.getChargeRoute(KEY)).toBeNull()
      // Nothing is remembered: no destination either.
      expect(await store.listDestinations({ removed: true })).toEqual([])
    })

    it('ends by its owner, and with its destination: then the charge is matched as usual', async () => {
      const store = await openStore()
      await store.createDestination(aDestination({ name: 'all' }), NOON, 'other')
      const { destination } = await store.openChargeRoute(aRoute('shop'), NOON)
      expect(await store.deleteChargeRoute(KEY, 'other')).toBe(false)
      expect(await destinationsOf(store, OF_77)).toEqual(['route-shop'])
      await store.pauseDestination(destination.id, 'for a while')
      expect(await destinationsOf(store, OF_77)).toEqual(['route-shop'])
      await store.deleteDestination(destination.id)
      expect(await destinationsOf(store, OF_77)).toEqual(['all'])
      expect(await store.getChargeRoute(KEY)).toBeNull()
      await store.openChargeRoute(aRoute('shop'), NOON)
      expect(await store.deleteChargeRoute(KEY, 'shop')).toBe(true)
      expect(await destinationsOf(store, OF_77)).toEqual(['all'])
    })

    it('its destination survives the configuration, keeps its URL, and counts for its owner', async () => {
      const store = await openStore()
      const { destination } = await store.openChargeRoute(aRoute('shop'), NOON)
      expect(await store.syncDestinations([], NOON)).toEqual({ retired: [] })
      const moved = store.updateDestination(destination.id, { url: 'https://elsewhere.example' }, NOON)
      await expect(moved).rejects.toMatchObject({ code: 'conflict' })
      for (let n = 1; n < 20; n++) await store.createDestination(aDestination({ name: `d${n}` }), NOON, 'shop')
      const next = aRoute('shop', { settings: aDestination({ name: 'next', url: 'https://shop.example/next' }) })
      await expect(store.openChargeRoute(next, NOON)).rejects.toMatchObject({ code: 'conflict' })
      expect(await store.getChargeRoute(KEY)).toMatchObject({ destinationId: destination.id })
    })

    it('its destination keeps its URL and its filters, which have no effect; all else can be changed', async () => {
      const store = await openStore()
      const { id, url } = (await store.openChargeRoute(aRoute('shop'), NOON)).destination
      const refused = { code: 'conflict', message: expect.stringContaining('cannot be changed') }
      for (const changes of [
        { url: 'https://new.example/' },
        { kinds: ['payment'] },
        { environments: ['sandbox'] as const },
        { subjects: { exact: ['77'] } },
        { authentication: 'mutual-tls' } as const,
      ])
        await expect(store.updateDestination(id, changes, NOON)).rejects.toMatchObject(refused)
      const changed = await store.updateDestination(
        id,
        { url: url.toUpperCase().replace('/NOTIFY', '/notify'), timeoutMs: 5 },
        NOON,
      )
      expect(changed).toMatchObject({ timeoutMs: 5 })
      expect(await destinationsOf(store, OF_77)).toEqual(['route-shop'])
    })

    it('a replay gives a route what it led there, and another client nothing of it', async () => {
      const store = await openStore()
      const { destination } = await store.openChargeRoute(aRoute('shop'), NOON)
      const { id: other } = await store.createDestination(aDestination({ name: 'all' }), NOON, 'other')
      const { id: operator } = await store.createDestination(aDestination({ name: 'operator' }), NOON)
      await destinationsOf(store, OF_77)
      await destinationsOf(store)
      const search = { mode: 'all', filter: {}, after: 0, upTo: 2 } as const
      const claim = { limit: 9, now: NOON, leaseUntil: NOON + 1, freshSince: 0, backlogLimit: 9 }
      for (const destinationId of [destination.id, other, operator]) {
        const { deliveries } = await store.claimDeliveries({ ...claim, destinationId })
        const answer = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: new Uint8Array() }
        const result = { state: 'delivered' } as const
        await store.recordAttempts(
          deliveries.map(({ deliveryId, attempt }) => ({ deliveryId, attempt, ...answer, result })),
        )
      }
      const replayed = await Promise.all(
        [destination.id, other, operator].map((destinationId) => store.findReplayable({ ...search, destinationId }, 9)),
      )
      expect(replayed.map(({ positions }) => positions)).toEqual([[1], [2], [1, 2]])
    })
  })
}
