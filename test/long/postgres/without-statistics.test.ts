import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery } from '../../../src/domain/delivery.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const BATCH = 50

describePostgres('tables without statistics, as in a new database', { settings: { autovacuum: 'off' } }, (server) => {
  it('storing and delivering a batch of 50 reads less than half of the rows behind 5,000 callbacks', async () => {
    const url = await server.createDatabase()
    const database = /\/([^/?]+)\?/.exec(url)?.[1]
    let stored = 0

    /** PostgreSQL counts what a connection did at once when it ends. */
    async function work(batches: number): Promise<void> {
      const store = await openPostgresStore({ ...postgresOptions(), url, leaseMs: 0 })
      const [destination] = await store.listDestinations()
      const { id: destinationId } =
        destination ?? (await store.createDestination(aDestination({ order: 'subject' }), NOON))
      await store.nodes.signOn({ name: 'one', version: '1.2.3', facts: {}, configured: [] }, NOON, true)
      for (let batch = 0; batch < batches; batch++) {
        await Promise.all(Array.from({ length: BATCH }, () => store.storeCallback(callbackOf(stored++))))
        const { deliveries } = await store.claimDeliveries({ ...CLAIM, destinationId })
        expect(deliveries.length).toBeGreaterThan(BATCH / 2)
        await store.recordAttempts(deliveries.map(delivered))
      }
      await store.close()
    }

    /** Of each table that grows with the callbacks. */
    async function rowsRead(): Promise<Record<string, number>> {
      const rows = await server.query(
        `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables
        where relname in ('callbacks', 'events', 'single_callbacks', 'event_blocks', 'deliveries', 'attempts', 'quarantine', 'notification_tokens', 'repeats') order by 1`,
        database,
      )
      return Object.fromEntries(rows.map(({ name, read }) => [name, Number(read)]))
    }

    await work(99)
    const before = await rowsRead()
    await work(1)
    const after = Object.entries(await rowsRead())
    // A store that opens reads up to 1000, and for few rows a scan is a good plan.
    expect(after.filter(([table, read]) => read - (before[table] ?? 0) > stored * 0.4)).toEqual([])
  })
})

const CLAIM = { limit: BATCH, now: NOON, leaseUntil: NOON + 45_000, freshSince: 0, backlogLimit: BATCH }

/** New facts, repeats of the batch before, facts in quarantine, tokens. */
function callbackOf(number: number): NewCallback {
  const place = number % 10
  const fact = aFact({ hash: hashOf(place === 1 ? number - BATCH : number), subject: `${number}` })
  if (place === 2) return aCallback({ facts: [{ ...fact, quarantine: 'account' as never }] })
  if (place === 3) return aCallback({ notificationToken: `token-${number}` })
  return aCallback({ facts: [fact] })
}

function hashOf(number: number): Buffer {
  return createHash('sha256').update(`${number}`).digest()
}

function delivered({ deliveryId, attempt }: ClaimedDelivery): AttemptOutcome {
  const sent = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: Buffer.of() }
  return { deliveryId, attempt, ...sent, result: { state: 'delivered' } }
}
