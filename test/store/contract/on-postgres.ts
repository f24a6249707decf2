import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { NOON } from '../../support/builders.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { optionsFor } from './on-sqlite.ts'
import type { StoreUnderTest } from './store-contract.ts'

/** Runs contracts against PostgreSQL, on a server of this file. They are skipped where PostgreSQL is not installed. @param programs default: Debian's */
export function runOnPostgres(
  contracts: readonly ((name: string, create: () => StoreUnderTest) => void)[],
  programs = postgresPrograms(),
): void {
  describe.skipIf(programs === null)('on PostgreSQL', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres({ programs })
    })
    afterAll(() => server.stop())
    for (const describeContract of contracts)
      describeContract('PostgreSQL', () => {
        let url: Promise<string> | undefined
        async function open(): Promise<Store> {
          url ??= server.createDatabase()
          const { file: _file, ...options } = optionsFor()
          const store = await openPostgresStore({ ...options, url: await url, leaseMs: 0 })
          let closing: Promise<void> | undefined
          const close = () => (closing ??= store.close())
          onTestFinished(close)
          return { ...(await withLeases(store)), close }
        }
        return { open, reopen: open }
      })
  })
}

const MAKING = ['createDestination', 'registerDestination', 'syncDestinations', 'openChargeRoute'] as const

/** A contract knows no nodes: a store takes the leases of destinations at once, those of stores that were opened before included. */
async function withLeases(store: PostgresStore): Promise<PostgresStore> {
  const take = () => store.nodes.signOn({ name: 'contract', version: '0.0.0', facts: {} }, NOON)
  await take()
  const making = MAKING.map((method) => [
    method,
    async (...args: readonly unknown[]) => {
      const made = await (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args)
      await take()
      return made
    },
  ])
  return { ...store, ...(Object.fromEntries(making) as Pick<PostgresStore, (typeof MAKING)[number]>) }
}
