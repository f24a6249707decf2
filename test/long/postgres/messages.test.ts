import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { describePostgres } from '../../support/with-postgres.ts'

/** What the node says, each time until the server answers. */
type Turns = string[]

/** With its length. The number of the process follows. */
const BACKEND_KEY_DATA = 'K\0\0\0\f'

/** A relay that notes the turns of each connection. @param isPooler says another number of the server process, as a pooler does */
async function startRelay(port: number, isPooler = false) {
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
      const at = isPooler && turns.length < 3 ? bytes.indexOf(BACKEND_KEY_DATA) : -1
      if (at >= 0) bytes.writeInt32BE(1, at + BACKEND_KEY_DATA.length)
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

describePostgres('the messages of a batch', (server) => {
  async function storeThrough(isPooler: boolean) {
    const name = /\/(test_\d+)\?/.exec(await server.createDatabase())?.[1]
    const { port, connections } = await startRelay(server.port, isPooler)
    const store = await openPostgresStore({
      ...postgresOptions(),
      url: `postgres://portaria@127.0.0.1:${port}/${name}`,
    })
    onTestFinished(store.close)
    await store.createDestination(aDestination({ order: 'subject' }), NOON)
    for (const turns of connections) turns.length = 0
    return {
      nodes: store.nodes,
      workOnSearch: store.workOnSearch,
      store: (of: string) =>
        Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            store.storeCallback(
              aCallback({ facts: [aFact({ hash: Buffer.from(`${of} ${n}`), subject: `${n}`, status: 'PAID' })] }),
            ),
          ),
        ),
      /** Of the writer, since the last call. */
      turns() {
        const of = connections.find((turns) => turns.some((said) => said.includes('for update of head')))
        return of?.splice(0) ?? []
      },
    }
  }

  it('are one that locks and reads, and one behind it that writes and commits', async () => {
    const { store, turns } = await storeThrough(false)
    await store('first')
    turns()
    await store('second')
    // The first call goes at once, and the others together.
    const [lock, write, nextLock, nextWrite, ...more] = turns()
    const isBegun = (n: number) =>
      new RegExp(`begin .*for update of head.*${Buffer.from(`second ${n}`).toString('hex')}`, 's')
    const isStored = (n: number) => new RegExp(`second ${n}.*update head .*commit`, 's')
    expect(lock).toMatch(isBegun(0))
    expect(write).toMatch(isStored(0))
    expect(nextLock).toMatch(isBegun(19))
    expect(nextWrite).toMatch(isStored(19))
    expect(more).toEqual([])
  })

  it('of a sign of life are four, and two of a farewell: other nodes wait meanwhile', async () => {
    const { nodes, turns } = await storeThrough(false)
    const sign = () => nodes.signOn({ name: 'one', version: '1.2.3', facts: {}, configured: [] }, NOON, true)
    await sign()
    turns()
    await sign()
    expect(turns()).toHaveLength(4)
    await nodes.signOff()
    expect(turns()).toHaveLength(2)
  })

  it('of a step of the search index are four: its terms go together with the commit', async () => {
    const { store, workOnSearch, turns } = await storeThrough(false)
    await store('first')
    turns()
    await workOnSearch('index', { limit: 1000 })
    expect(turns()).toHaveLength(4)
  })

  it.each([
    ['straight to the server, it prepares what comes often', false],
    ['through a pooler, which may change the session, it prepares nothing', true],
  ])('%s', async (_, isPooler) => {
    const { store, turns } = await storeThrough(isPooler)
    await store('first')
    await store('second')
    const said = turns().join('')
    expect(said).toContain(isPooler ? '\0with single_callbacks_rows' : 'with single_callbacks_rows')
    expect(/P[^P]{4}s\d+\0with single_callbacks_rows/s.test(said)).toBe(!isPooler)
    const times = said.split('with single_callbacks_rows').length - 1
    expect(times > 1).toBe(isPooler)
  })
})
