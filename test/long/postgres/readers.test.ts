import fc from 'fast-check'
import { it } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { STORE } from '../../api/api.ts'
import { readerTraffic, simulateReaders } from '../../api/events/reader-simulation.ts'
import type { ReaderDatabase } from '../../api/events/reader-world.ts'
import { IS_FULL } from '../../support/campaign.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const ENDS_WITHIN_MS = 30_000

describePostgres('on PostgreSQL', (server) => {
  /** A crash ends every connection: what was not committed is undone, and what was may not be known. */
  async function newDatabase(): Promise<ReaderDatabase> {
    const url = await server.createDatabase()
    return {
      open: () => ({ openStore: () => openPostgresStore({ url, ...STORE }) }),
      async crash() {
        // No other database has a connection of a store: one traffic after the other. Without the wait a commit under way could follow the crash.
        await server.query(
          `select pg_terminate_backend(pid, ${ENDS_WITHIN_MS}) from pg_stat_activity where application_name like 'portaria%'`,
        )
      },
    }
  }

  it('no reader misses an event or sees one twice, or a 410 says so', async () => {
    const simulate = async (commands: Parameters<typeof simulateReaders>[0]) =>
      simulateReaders(commands, await newDatabase())
    await fc.assert(fc.asyncProperty(readerTraffic(150), simulate), { numRuns: IS_FULL ? 8 : 3, endOnFailure: true })
  })
})
