import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { clientOptions, startPostgres } from '../../support/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { describePostgres } from '../../support/with-postgres.ts'

describePostgres('a store whose PostgreSQL', (server) => {
  async function opened(changes: Partial<PostgresStoreOptions> = {}) {
    const troubles: { broken: boolean; message: string }[] = []
    const url = changes.url ?? (await server.createDatabase())
    function onTrouble(trouble: (typeof troubles)[number]): void {
      // The reason may change while it is broken.
      if (troubles.at(-1)?.broken !== trouble.broken) troubles.push(trouble)
    }
    const store = await openPostgresStore({ ...postgresOptions(), onTrouble, ...changes, url })
    onTestFinished(() => store.close())
    return { store, troubles, url }
  }

  /** Callers who send again when they are refused, one fact each, until `stop`. */
  function load(store: PostgresStore, callers: number) {
    const acknowledged: string[] = []
    const refused: string[] = []
    let isOver = false
    async function call(caller: number): Promise<void> {
      for (let n = 0; !isOver; n++) {
        const text = `{"caller":${caller},"n":${n}}`
        for (let isStored = false; !isStored && !isOver; ) {
          isStored = await store.storeCallback(aCallback({ text })).then(
            () => true,
            (error) => {
              refused.push(error.code)
              return false
            },
          )
          if (isStored) acknowledged.push(text)
          else await wait(20)
        }
      }
    }
    const calls = Array.from({ length: callers }, (_, caller) => call(caller))
    return {
      acknowledged,
      refused,
      async stop() {
        isOver = true
        await Promise.all(calls)
      },
    }
  }

  async function storedTexts(store: PostgresStore): Promise<string[]> {
    const texts: string[] = []
    for (let [after, more] = [0, true]; more; ) {
      const page = await store.listEvents({ after }, 1000)
      texts.push(...page.events.map(({ body }) => Buffer.from(body).toString()))
      ;[after, more] = [page.next, page.more]
    }
    return texts
  }

  it('is killed under load refuses callbacks meanwhile, goes on by itself, and has lost nothing acknowledged', async () => {
    const { store, troubles } = await opened()
    const running = load(store, 8)
    for (let round = 0; round < 3; round++) {
      const before = running.acknowledged.length
      await until(() => running.acknowledged.length > before + 50)
      await server.kill()
      const refused = running.refused.length
      await until(() => running.refused.length > refused)
      await server.start()
      const stored = running.acknowledged.length
      await until(() => running.acknowledged.length > stored)
    }
    await running.stop()

    expect(new Set(running.refused)).toEqual(new Set(['store_unavailable']))
    expect(troubles.map(({ broken }) => broken)).toEqual([true, false, true, false, true, false])
    const stored = await storedTexts(store)
    expect(new Set(stored).size).toBe(stored.length)
    expect(running.acknowledged.filter((text) => !stored.includes(text))).toEqual([])
  })

  it('is frozen refuses callbacks after 4 s, those that wait behind another call too, and goes on behind it', async () => {
    const { store, troubles } = await opened()
    await store.storeCallback(aCallback({ text: '1' }))
    server.pause()
    const slow = store.createDestination(aDestination(), NOON).catch((error) => error)
    const refused = await store.storeCallback(aCallback({ text: '2' })).catch((error) => error)
    expect(refused).toMatchObject({ code: 'store_unavailable', message: 'PostgreSQL gave no answer within 4 s' })
    expect(await slow).toMatchObject({ code: 'store_unavailable' })
    expect(await store.latestPosition().catch((error) => error)).toMatchObject({ code: 'store_unavailable' })
    expect(await store.storeCallback(aCallback({ text: '2' })).catch((error) => error)).toMatchObject({
      code: 'store_unavailable',
      message: 'PostgreSQL is away; the store is being opened again',
    })
    server.resume()
    await until(() => troubles.length === 2)
    await store.storeCallback(aCallback({ text: '2' }))
    expect(await store.latestPosition()).toBe(2)
  })

  async function lossOf(change: (url: string) => Promise<void>) {
    const lost: string[] = []
    const { store, url } = await opened({ onLost: ({ message }) => lost.push(message) })
    await store.storeCallback(aCallback({ text: '1' }))
    await store.storeCallback(aCallback({ text: '2' }))
    await change(url)
    const refused = await until(
      () => store.storeCallback(aCallback({ text: '3' })).catch((error) => error),
      () => lost.length > 0,
    )
    expect(refused).toBeInstanceOf(Error)
    return { lost, rows: (table: string) => server.query(`select from ${table}`, nameIn(url)) }
  }

  const nameIn = (url: string) => /test_\d+/.exec(url)?.[0] ?? ''

  it('gets an empty database in the place of its own is lost, and makes no schema there', async () => {
    const { lost, rows } = await lossOf(async (url) => {
      await server.query(`drop database ${nameIn(url)} with (force)`)
      await server.query(`create database ${nameIn(url)}`)
    })
    expect(lost).toEqual([
      expect.stringMatching(/^the database is empty, or another one than this gateway has worked with/),
    ])
    expect(await rows("pg_tables where schemaname = 'public'")).toEqual([])
  })

  it('gets the database of another gateway in the place of its own is lost, and writes nothing there', async () => {
    const { lost, rows } = await lossOf(async (url) => {
      const another = { url: await server.createDatabase() }
      const store = await openPostgresStore({ ...postgresOptions(), ...another })
      await store.storeCallback(aCallback({ text: '9' }))
      await store.close()
      await server.query(`drop database ${nameIn(url)} with (force)`)
      await server.query(`alter database ${nameIn(another.url)} rename to ${nameIn(url)}`)
    })
    expect(lost).toEqual([
      expect.stringMatching(/^the database is empty, or another one than this gateway has worked with/),
    ])
    expect(await rows('events')).toHaveLength(1)
  })

  it('gets an older copy in the place of its own is lost, and gives no position out again', async () => {
    const { lost, rows } = await lossOf(async (url) => {
      await server.query('delete from events where id = 2; update head set position = 1', nameIn(url))
    })
    expect(lost).toEqual([expect.stringMatching(/^the database is an older copy of the one that this gateway/)])
    expect(await rows('events')).toHaveLength(1)
  })

  it('is frozen gives up a sign of life as soon as a callback', async () => {
    const { store } = await opened()
    server.pause()
    const signed = store.nodes.signOn({ name: 'one', version: '1.2.3', facts: {}, configured: [] }, NOON, true)
    expect(await signed.catch((error) => error)).toMatchObject({ message: 'PostgreSQL gave no answer within 4 s' })
    server.resume()
  })

  it('is frozen does not keep the store from closing', async () => {
    const store = await openPostgresStore({ ...postgresOptions(), url: await server.createDatabase() })
    await store.latestPosition()
    server.pause()
    await store.close()
    server.resume()
  })

  it('works long on one call gives it up for a callback, and holds back no later one for it', async () => {
    const { store, troubles, url } = await opened()
    const blocker = new pg.Client(clientOptions(url))
    await blocker.connect()
    onTestFinished(() => blocker.end())
    await blocker.query('begin; lock table destinations in exclusive mode')
    const slow = store.createDestination(aDestination(), NOON).catch((error) => error)
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and application_name like 'portaria %'"
    await until(
      () => server.query(waiting),
      (rows) => rows.length > 0,
    )
    expect(await store.storeCallback(aCallback({ text: '1' })).catch((error) => error)).toMatchObject({
      message: 'PostgreSQL gave no answer within 4 s',
    })
    expect(await slow).toMatchObject({ code: 'store_unavailable' })
    // The server would go on with the statement for 26 s.
    await until(() => troubles.length === 2, Boolean, 15_000)
    await store.storeCallback(aCallback({ text: '1' }))
  })

  it('commits without telling it calls that a failure, and knows the repeat as a duplicate', async () => {
    const proxy = await startTcpProxy(server.port)
    const { url, store: direct } = await opened()
    const { store, troubles } = await opened({ url: through(proxy, url) })
    const lost = proxy.loseNextCommit('reset')
    const first = await store.storeCallback(aCallback({ text: '1' })).catch((error) => error)
    await lost
    expect(first).toMatchObject({ code: 'store_unavailable' })
    expect(await direct.latestPosition()).toBe(1)
    await until(() => troubles.length === 2)
    expect(await store.storeCallback(aCallback({ text: '1' }))).toMatchObject({ duplicates: 1, eventIds: [] })
  })

  it('goes silent while the store is opened again is tried again', async () => {
    const proxy = await startTcpProxy(server.port)
    const { url } = await opened()
    const { store, troubles } = await opened({ url: through(proxy, url) })
    const silence = proxy.loseNextCommit('silence', 'pg_advisory_xact_lock')
    proxy.cut()
    await silence
    await until(() => troubles.length === 2)
    await store.storeCallback(aCallback({ text: '1' }))
  })

  it('commits without its synchronous standby, because somebody canceled the wait, calls that a failure', async () => {
    const alone = await startPostgres()
    onTestFinished(() => alone.stop())
    const { store } = await opened({ url: await alone.createDatabase() })
    await alone.query("alter system set synchronous_standby_names = 'missing'")
    await alone.query('select pg_reload_conf()')
    const waiting = "from pg_stat_activity where application_name like 'portaria % writer' and wait_event = 'SyncRep'"
    await until(
      () => alone.query('show synchronous_standby_names'),
      ([row]) => row?.synchronous_standby_names !== '',
    )
    const refused = store.storeCallback(aCallback({ text: '1' })).catch((error) => error)
    await until(
      () => alone.query(`select pg_cancel_backend(pid) ${waiting}`),
      (rows) => rows.length > 0,
    )
    expect(await refused).toMatchObject({ message: 'a commit did not wait for the synchronous standby' })
  })

  it('has a transaction of a node that froze goes on with the others as soon as it has ended that one', async () => {
    const proxy = await startTcpProxy(server.port)
    const { store: other, url } = await opened()
    const { store: frozen, troubles } = await opened({ url: through(proxy, url) })
    const silence = proxy.loseNextCommit('silence', 'for update')
    const refused = frozen.storeCallback(aCallback({ text: '1' })).catch((error) => error)
    await silence
    await other.storeCallback(aCallback({ text: '2' }))
    expect(await refused).toMatchObject({ code: 'store_unavailable' })
    await until(() => troubles.length === 2)
    expect(await frozen.storeCallback(aCallback({ text: '1' }))).toMatchObject({ duplicates: 0 })
    expect(await other.latestPosition()).toBe(2)
  })
})

function through({ port }: TcpProxy, url: string): string {
  return url.replace(/@.*\/(\w+)\?.*/, `@127.0.0.1:${port}/$1`)
}
