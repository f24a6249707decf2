import { describe, expect, it } from 'vitest'
import type { ActionFilter, NewAction } from '../../../src/domain/actions/action.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

export function anAction(changes: Partial<NewAction> = {}): NewAction {
  const what = { action: 'pauseDestination', target: 'books', reason: null, details: null, refersTo: null }
  return { at: NOON, actor: 'operator', channel: 'api', ...what, ...changes }
}

/** What every Store promises of the log of actions. */
export function describeActions(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  const openStore = () => createStoreUnderTest().open()
  const numbers = (store: Store, filter: ActionFilter) =>
    store.listActions(filter, 100).then((page) => page.actions.map(({ id }) => id))

  describe(`${name}: the log of actions`, () => {
    it('holds entries as they were recorded, in another process too', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      const failed = anAction({
        channel: 'page',
        target: null,
        reason: 'wrong account\u0000 — “x”',
        details: { name: 'é “x”' },
        refersTo: 1,
      })
      expect([await store.recordAction(anAction()), await store.recordAction(failed)]).toEqual([1, 2])
      await store.close()

      const reopened = await underTest.reopen()
      const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
      expect(await reopened.listActions({}, 10)).toEqual({
        actions: [
          { id: 1, ...anAction(), hash },
          { id: 2, ...failed, hash },
        ],
        next: 2,
        more: false,
      })
      expect(await reopened.latestAction()).toBe(2)
    })

    it('numbers entries beside callbacks without a gap', async () => {
      const store = await openStore()
      const recorded = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await Promise.all([store.storeCallback(aCallback({ text: `{"identificador":"${index}"}` }))])
          return store.recordAction(anAction())
        }),
      )
      expect(recorded.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    })

    it('is read by actor, action, target and period, and by several of them', async () => {
      const store = await openStore()
      for (const changes of [
        {},
        { actor: 'cli_0123456789' },
        { action: 'unmaskEvent', target: 'evt_1_0123456789' },
        { at: NOON + 1000, actor: 'cli_0123456789', target: null },
      ])
        await store.recordAction(anAction(changes))
      expect(await numbers(store, { actor: 'cli_0123456789' })).toEqual([2, 4])
      expect(await numbers(store, { action: 'unmaskEvent' })).toEqual([3])
      expect(await numbers(store, { target: 'books' })).toEqual([1, 2])
      expect(await numbers(store, { from: NOON + 1 })).toEqual([4])
      expect(await numbers(store, { to: NOON + 1, actor: 'cli_0123456789' })).toEqual([2])
    })

    it('is paged by number in both directions, and a page moves past what its filter skipped', async () => {
      const store = await openStore()
      for (const action of ['a', 'a', 'a', 'a', 'a', 'b']) await store.recordAction(anAction({ action }))
      const page = async (filter: ActionFilter) => {
        const { actions, next, more } = await store.listActions(filter, 2)
        return [actions.map(({ id }) => id), next, more]
      }
      expect(await page({})).toEqual([[1, 2], 2, true])
      expect(await page({ after: 4, action: 'a' })).toEqual([[5], 6, false])
      expect(await page({ after: 6 })).toEqual([[], 6, false])
      expect(await page({ newestFirst: true })).toEqual([[6, 5], 5, true])
      expect(await page({ newestFirst: true, before: 3 })).toEqual([[2, 1], 0, false])
    })

    it('loses its oldest entries alone, and goes on with the next number and a hash behind the last one', async () => {
      const store = await openStore()
      for (const at of [1, 2, 9, 3, 10]) await store.recordAction(anAction({ at }))
      expect(await store.removeActions(5, 1)).toBe(1)
      // The fourth is older, but the third is not.
      expect(await store.removeActions(5, 10)).toBe(1)
      expect(await store.removeActions(5, 10)).toBe(0)
      expect(await numbers(store, {})).toEqual([3, 4, 5])
      expect(await store.removeActions(100, 10)).toBe(3)
      expect(await store.recordAction(anAction())).toBe(6)
    })
  })
}
