import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { optionsFor } from '../../store/contract/on-sqlite.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts'

/** What the node says, each time until the server answers. */
type Turns = string[]

/** A relay that notes the turns of each connection. */
async function startRelay(port: number) {
  const connections: Turns[] = []
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    const turns: Turns = []
    connections.push(turns)
    let isAnswered = true
    client.on('data', (bytes) => {
      if (isAnswered) turns.push('')
      isAnswered = false
      turns[turns.length - 1] += bytes.toString('latin1')
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      isAnswered = true
      client.write(bytes)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void relay.close())
  return { port: (relay.address() as AddressInfo).port, connections }
}

describe.skipIf(postgresPrograms() === null)('the messages of a batch', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('are one that locks and reads, and one behind it that writes and commits', async () => {
    const name = /\/(test_\d+)\?/.exec(await server.createDatabase())?.[1]
    const { port, connections } = await startRelay(server.port)
    const { file: _file, ...options } = optionsFor()
    const store = await openPostgresStore({ ...options, url: `postgres://portaria@127.0.0.1:${port}/${name}` })
    onTestFinished(store.close)
    await store.createDestination(aDestination({ order: 'subject' }), NOON)
    const batch = (of: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.storeCallback(
            aCallback({ facts: [aFact({ hash: Buffer.from(`${of} ${n}`), subject: `${n}`, status: 'PAID' })] }),
          ),
        ),
      )
    await batch('first')
    for (const turns of connections) turns.length = 0
    await batch('second')
    // The first call goes at once, and the others together.
    const [lock, write, nextLock, nextWrite, ...more] = connections.find((turns) => turns.length > 1) ?? []
    expect(lock).toMatch(/begin .*for update of head.*fact_hash/s)
    expect(write).toMatch(/insert into single_callbacks.*update head .*commit/s)
    expect(nextLock).toMatch(/begin .*for update of head.*fact_hash/s)
    expect(nextWrite).toMatch(/insert into single_callbacks.*update head .*commit/s)
    expect(more).toEqual([])
  })
})
