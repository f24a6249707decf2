import { afterAll, beforeAll, describe } from 'vitest'
import { type PostgresOptions, type PostgresServer, postgresPrograms, startPostgres } from './postgres.ts'

type DescribeTests = (server: PostgresServer) => void

/** Tests with a PostgreSQL server of their own. They are skipped where npm brings no PostgreSQL for the machine. */
export function describePostgres(name: string, ...rest: [DescribeTests] | [PostgresOptions, DescribeTests]): void {
  const [options, describeTests] = rest.length === 1 ? [{}, rest[0]] : rest
  describe.skipIf(postgresPrograms() === null)(name, () => {
    let started: PostgresServer
    beforeAll(async () => {
      started = await startPostgres(options)
    })
    afterAll(() => started.stop())
    // Tests are described before the server starts.
    describeTests(new Proxy({} as PostgresServer, { get: (_, member) => Reflect.get(started, member) }))
  })
}
