import { beforeAll, describe, expect, it } from 'vitest'
import type { StoreReader } from '../../../src/domain/store-reader.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const EVENTS = 12_000
/** Few, and among the oldest. */
const RARE = 'charge'
const HOUR = 3_600_000
/** Rows of two blocks and what a page returns. */
const BOUND = 3000

const OPTIONS = { deduplicationWindowMs: 86_400_000, kinds: [], queue: { events: 2 * EVENTS, bytes: 1 << 26 } }

const LISTS: Readonly<Record<string, (store: StoreReader) => Promise<unknown>>> = {
  'the newest of a rare kind': (store) => store.listEvents({ kinds: [RARE], newestFirst: true }, 100),
  'the oldest of a kind that came first': (store) => store.listEvents({ kinds: ['payment'] }, 100),
  'the newest of two kinds': (store) => store.listEvents({ kinds: [RARE, 'payment'], newestFirst: true }, 100),
  'those of an early hour, newest first': (store) =>
    store.listEvents({ receivedFrom: NOON, receivedTo: NOON + 1, newestFirst: true }, 100),
  'those of the last hour, oldest first': (store) => store.listEvents({ receivedFrom: NOON + 9 * HOUR }, 100),
  'the position of an early hour': (store) => store.positionAt(NOON + HOUR),
  'the position of the last hour': (store) => store.positionAt(NOON + 9 * HOUR),
}

describePostgres('lists by kind and by time', { settings: { autovacuum: 'off' } }, (server) => {
  let database: string
  let url: string
  beforeAll(async () => {
    url = await server.createDatabase()
    database = /\/([^/?]+)\?/.exec(url)?.[1] as string
    const store = await openPostgresStore({ ...OPTIONS, url })
    await Promise.all(Array.from({ length: EVENTS }, (_, n) => store.storeCallback(callbackOf(n))))
    await store.close()
  })

  /** Rows of the tables that grow. PostgreSQL counts what a connection did at once when it ends. */
  async function readBy(use: (store: StoreReader) => Promise<unknown>): Promise<number> {
    const before = await rowsRead()
    const store = await openPostgresStore({ ...OPTIONS, url })
    await use(store)
    await store.close()
    return (await rowsRead()) - before
  }

  async function rowsRead(): Promise<number> {
    const [row] = await server.query(
      "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_user_tables where relname ~ 'callbacks|events'",
      database,
    )
    return Number(row?.read)
  }

  describe.each(['without statistics', 'with statistics'])('%s', (manner) => {
    beforeAll(async () => {
      if (manner === 'with statistics') await server.query('analyze', database)
    })

    it.each(Object.entries(LISTS))('%s', async (_, list) => {
      const idle = await readBy(async () => undefined)
      expect((await readBy(list)) - idle).toBeLessThan(BOUND)
    })
  })

  it('hold what they held', async () => {
    const store = await openPostgresStore({ ...OPTIONS, url })
    const positions = async (...asked: Parameters<StoreReader['listEvents']>) =>
      (await store.listEvents(...asked)).events.map(({ position }) => position)
    expect(await positions({ kinds: [RARE], newestFirst: true }, 10)).toEqual([4, 3, 2, 1])
    expect(await positions({ kinds: [RARE, 'payment'] }, 6)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await positions({ receivedFrom: NOON + 9 * HOUR, newestFirst: true }, 2)).toEqual([EVENTS, EVENTS - 1])
    expect(await positions({ receivedFrom: NOON + 5 * HOUR, kinds: ['payment'] }, 2)).toEqual([6001, 6002])
    expect(await store.positionAt(NOON + 5 * HOUR)).toBe(6000)
    expect(await store.positionAt(NOON + 10 * HOUR)).toBe(EVENTS)
    await store.close()
  })
})

function callbackOf(n: number) {
  const kind = n < 4 ? RARE : 'payment'
  const receivedAt = NOON + Math.floor(n / (EVENTS / 10)) * HOUR
  return aCallback({ kind, receivedAt, facts: [aFact({ kind, hash: Buffer.from(`fact ${n}`) })] })
}
