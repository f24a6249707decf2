import { expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions, runOnPostgres } from '../../store/contract/on-postgres.ts'
import { describeSearch } from '../../store/contract/search-contract.ts'
import { describeSearchModel } from '../../store/contract/search-model-contract.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { indexAll, searchAll } from '../../support/search.ts'
import { describePostgres } from '../../support/with-postgres.ts'

runOnPostgres([describeSearch, describeSearchModel])

describePostgres('a search of several blocks on PostgreSQL', (server) => {
  /** Directly behind these positions: the last and the first one of a block, and both ends of what the second look reads. */
  const BEHIND = [0, 1, 16_382, 16_383, 49_151, 49_152, 98_302, 98_303, 180_000, 180_001]

  async function openSpread() {
    const url = await server.createDatabase()
    const store = await openPostgresStore({ ...postgresOptions(), url })
    onTestFinished(() => store.close())
    for (const [n, position] of BEHIND.entries()) {
      await server.query(`update head set position = ${position}`, /\/(\w+)\?/.exec(url)?.[1])
      const group = n < 5 ? 'older' : 'newer'
      const text = JSON.stringify({ nome: 'Ana', txid: `txid${n}`, group, mail: `${group}.pedido0000${n}@example.com` })
      await store.storeCallback(aCallback({ text, receivedAt: NOON + n * 86_400_000, facts: [aFact({ hash: null })] }))
    }
    await indexAll(store)
    return store
  }

  const POSITIONS = BEHIND.map((position) => position + 1).reverse()

  it('finds what is in any of them, newest first, in pages of any length', async () => {
    const store = await openSpread()
    const found = async (text: string, filter: object = {}) =>
      (await searchAll(store, text, filter)).map(({ position }) => position)
    for (const limit of [1, 3, 100]) expect(await found('ana', { limit })).toEqual(POSITIONS)
    expect(await found('txid3')).toEqual([16_384])
    expect(await found('older', { limit: 2 })).toEqual(POSITIONS.slice(5))
    expect(await found('ana', { after: 1, before: 98_304 })).toEqual([98_303, 49_153, 49_152, 16_384, 16_383, 2])
    expect(await found('nobody')).toEqual([])
    // The index finds the identifier alone, and the rest is compared.
    for (const text of ['ana newer pedido00006', 'newer.pedido00006@example'])
      expect(await found(text)).toEqual([98_303])
    for (const text of ['ana older pedido00006', 'older.pedido00006@example']) expect(await found(text)).toEqual([])
  })

  it('applies a period, however long it is', async () => {
    const store = await openSpread()
    const day = (n: number) => NOON + n * 86_400_000
    const found = async (filter: object) =>
      (await searchAll(store, 'ana', filter)).map(({ position }) => position).reverse()
    const all = POSITIONS.toReversed()
    expect(await found({ receivedFrom: day(2), receivedTo: day(4) })).toEqual(all.slice(2, 4))
    expect(await found({ receivedTo: day(3) + 1 })).toEqual(all.slice(0, 4))
    expect(await found({ receivedFrom: day(7) })).toEqual(all.slice(7))
    expect(await found({ receivedFrom: day(-400), receivedTo: day(6) })).toEqual(all.slice(0, 6))
  })
})
