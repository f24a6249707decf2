import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { optionsFor } from './on-sqlite.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** Runs contracts against PostgreSQL, on a server of this file. They are skipped where PostgreSQL is not installed. */
export function runOnPostgres(contracts: readonly ((name: string, create: () => StoreUnderTest) => void)[]): void {
  describe.skipIf(postgresPrograms() === null)('on PostgreSQL', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server.stop())
    for (const describeContract of contracts)
      describeContract('PostgreSQL', () => {
        let url: Promise<string> | undefined
        async function open(): Promise<Store> {
          url ??= server.createDatabase()
          const { file: _file, ...options } = optionsFor()
          const store = await openPostgresStore({ ...options, url: await url })
          let closing: Promise<void> | undefined
          const close = () => (closing ??= store.close())
          onTestFinished(close)
          // A contract calls only what is there.
          return { ...store, close } as unknown as Store
        }
        return { open, reopen: open }
      })
  })
}
