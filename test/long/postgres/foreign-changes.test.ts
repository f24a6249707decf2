import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { PublishedEvent } from '../../../src/domain/event-bus.ts'
import { CHANGE_SORTS, type Changes } from '../../../src/domain/nodes/foreign-changes.ts'
import { ALL_CHANGES, joined, NO_CHANGES } from '../../../src/store/postgres/changes/changes.ts'
import { createOwnCommits } from '../../../src/store/postgres/changes/own-commits.ts'
import { watchChanges } from '../../../src/store/postgres/changes/watch-changes.ts'
import { createReaders } from '../../../src/store/postgres/database/readers.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const KEY = { owner: null, name: 'ledger' }

function throughProxy({ port }: TcpProxy, url: string): string {
  return url.replace(/@.*\/(\w+)\?.*/, `@127.0.0.1:${port}/$1`)
}

describePostgres('a store on PostgreSQL that watches the others', (server) => {
  async function openNodes(url: string) {
    const options = postgresOptions()
    const [one, other] = [await openPostgresStore({ ...options, url }), await openPostgresStore({ ...options, url })]
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()])
    })
    return { one, other }
  }

  /** What this store has heard since its first look, and `forget` was called. */
  async function watch(store: PostgresStore) {
    let events: PublishedEvent[] = []
    let changes: Changes = NO_CHANGES
    const troubles: (string | null)[] = []
    const stop = store.nodes.watch({
      onChanges({ events: more, ...rest }) {
        events.push(...more)
        changes = joined(changes, rest)
      },
      onTrouble: (reason) => troubles.push(reason),
    })
    onTestFinished(stop)
    function forget(): void {
      events = []
      changes = NO_CHANGES
    }
    await until(() => changes.destinationIds === 'all')
    forget()
    return {
      subjects: () => events.map(({ subject }) => subject),
      events: () => events,
      changes: () => changes,
      troubles,
      forget,
    }
  }

  function storeNumbered(store: PostgresStore, from: number, count: number) {
    const subjects = Array.from({ length: count }, (_, index) => String(from + index))
    const callbackOf = (subject: string) => aCallback({ text: subject, facts: [aFact({ subject })] })
    return Promise.all(subjects.map((subject) => store.storeCallback(callbackOf(subject))))
  }

  /** As the superuser, on the database of this URL. */
  function query(url: string, text: string) {
    return server.query(text, /test_\d+/.exec(url)?.[0])
  }

  it('hears an event that another one has asked the service for, and for whom it is', async () => {
    const { one, other } = await openNodes(await server.createDatabase())
    const { id } = await one.createDestination(aDestination(), NOON)
    const heard = await watch(other)
    const state = { type: 'payment', subject: 'a', status: 'CRIADO', day: null, token: null, references: null } as const
    await one.settleAnswer({
      kind: 'payment',
      environment: 'production',
      asked: [],
      at: NOON,
      told: [{ ...state, content: { sort: 'payment', cents: 1 } }],
      lack: null,
      schedule: { everyMs: 1000, giveUpAfterMs: 1000 },
    })
    await until(() => heard.events().length > 0)
    expect(heard.events()).toMatchObject([{ kind: 'payment', subject: 'a', status: 'CRIADO' }])
    expect(heard.changes().destinationIds).toEqual([id])
  })

  it('hears new events of another one with the fields that filters look at, but not its own', async () => {
    const { one, other } = await openNodes(await server.createDatabase())
    const heard = await watch(other)
    await other.storeCallback(aCallback({ text: '{"identificador":"own"}' }))
    await one.storeCallback(aCallback({ receivedAt: NOON + 5 }))
    await until(() => heard.events().length > 0)
    expect(heard.events()).toMatchObject([
      { kind: 'payment', environment: 'production', subject: '42', status: 'LIQUIDADO', receivedAt: NOON + 5 },
    ])
    expect(heard.troubles).toEqual([])
  })

  it('hears each of many events once, while it stores as many itself', async () => {
    const { one, other } = await openNodes(await server.createDatabase())
    const heard = await watch(other)
    await Promise.all([storeNumbered(one, 0, 900), storeNumbered(other, 10_000, 900)])
    await storeNumbered(one, 900, 300)
    await until(() => heard.events().length >= 1200)
    expect(new Set(heard.subjects())).toEqual(new Set(Array.from({ length: 1200 }, (_, index) => String(index))))
    expect(heard.events()).toHaveLength(1200)
  })

  it('hears which destinations have deliveries that are due, what must not be sent any more, and which sorts of things changed', async () => {
    const { one, other } = await openNodes(await server.createDatabase())
    const heard = await watch(other)
    const { id } = await one.createDestination(aDestination(), NOON)
    await until(() => heard.changes().sorts.includes('destinations'))
    heard.forget()

    await one.storeCallback(aCallback())
    await until(() => heard.changes().destinationIds.length > 0)
    expect(heard.changes()).toEqual({ ...NO_CHANGES, destinationIds: [id] })
    const [delivery] = await one.listDeliveries({}, 1)
    await one.skipDelivery(delivery?.deliveryId ?? 0, NOON)
    await until(() => heard.changes().droppedIds.length > 0)
    expect(heard.changes().droppedIds).toEqual([delivery?.deliveryId])
    heard.forget()

    await one.leaseBatch(KEY, { after: 0, end: 1, gapsReportedAt: 0 }, { id: 'b', expiresAt: NOON + 1000 }, NOON)
    await one.acknowledgeBatch(KEY, 'b', null, NOON)
    await until(() => heard.changes().consumers.length > 0)
    expect(heard.changes()).toEqual({ ...NO_CHANGES, consumers: [KEY] })
    heard.forget()

    await one.createClient({ id: 'cli_1', name: 'erp', environment: 'any', scopes: [], secretHash: '0' }, NOON)
    await until(() => heard.changes().sorts.length > 0)
    expect(heard.changes()).toEqual({ ...NO_CHANGES, sorts: ['clients'] })
    heard.forget()

    await one.storeCallback(aCallback({ kind: 'charge', facts: [], notificationToken: 'token' }))
    await until(() => heard.changes().sorts.length > 0)
    expect(heard.changes()).toEqual({ ...NO_CHANGES, sorts: ['tokens'] })
    heard.forget()

    await one.pageSessions?.endSession('key')
    await until(() => heard.changes().sorts.length > 0)
    expect(heard.changes()).toEqual({ ...NO_CHANGES, sorts: ['sessions'] })
    heard.forget()

    await one.nodes.signOff()
    await until(() => heard.changes().sorts.length > 0)
    expect(heard.changes()).toEqual({ ...NO_CHANGES, sorts: ['leases'] })
  })

  it('takes a change for all changes where a notice would be too long', async () => {
    const { one, other } = await openNodes(await server.createDatabase())
    const heard = await watch(other)
    const named = (index: number) => ({ owner: null, name: `${'x'.repeat(60)}${index}` })
    await Promise.all(Array.from({ length: 200 }, (_, index) => one.seekConsumer(named(index), 0, NOON)))
    await until(() => heard.changes().consumers === 'all')
    expect(heard.changes()).toEqual(ALL_CHANGES)
  })

  it('finds what it did not hear because its connection was cut, and says so meanwhile', async () => {
    const url = await server.createDatabase()
    const { one, other } = await openNodes(url)
    const heard = await watch(other)
    await storeNumbered(one, 0, 3)
    await until(() => heard.events().length === 3)
    heard.forget()
    const cut =
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'portaria % listener' and datname = current_database()"
    await query(url, cut)
    await storeNumbered(one, 3, 4)
    await until(() => heard.changes().destinationIds === 'all')
    await until(() => ['3', '4', '5', '6'].every((subject) => heard.subjects().includes(subject)))
    expect(heard.changes().sorts).toEqual(CHANGE_SORTS)
    await until(() => heard.troubles.length > 1)
    expect(heard.troubles).toEqual([expect.any(String), null])
  })

  it('hears of its own commit whose answer was lost with the connection', async () => {
    const url = await server.createDatabase()
    const proxy = await startTcpProxy(server.port)
    const store = await openPostgresStore({ ...postgresOptions(), url: throughProxy(proxy, url) })
    onTestFinished(() => store.close())
    const heard = await watch(store)
    const { id } = await store.createDestination(aDestination(), NOON)
    const lost = proxy.loseNextCommit('reset')
    await expect(store.storeCallback(aCallback())).rejects.toThrow()
    await lost
    await until(() => heard.events().length > 0)
    expect(heard.subjects()).toEqual(['42'])
    expect(heard.changes().destinationIds).toEqual([id])
  })

  /** Sends notices as any role can that may connect to the database. */
  function notify(url: string, notices: readonly unknown[]) {
    const texts = notices.map((one) => pg.escapeLiteral(typeof one === 'string' ? one : JSON.stringify(one)))
    return query(url, texts.map((text) => `notify portaria, ${text}`).join(';'))
  }

  it('takes no notice that is not of this version, and finds what it may have said', async () => {
    const url = await server.createDatabase()
    const { one, other } = await openNodes(url)
    const heard = await watch(other)
    const notice = { origin: 'x', number: 1, after: 0, position: 0, changes: NO_CHANGES }
    const changed = (changes: object) => ({ ...notice, changes: { ...NO_CHANGES, ...changes } })
    await notify(url, [
      ...['', 'null', '[]', '7', '{"number":1}', '{"number":1,"changes":null}', '{"number":1,"changes":"all"}'],
      ...['x', -1, 1.5, 2 ** 53, null].flatMap((value) => [
        { ...notice, number: value },
        { ...notice, after: value },
        { ...notice, position: value },
        changed({ destinationIds: [value] }),
        changed({ droppedIds: [value] }),
      ]),
      { ...notice, origin: 7 },
      { ...notice, after: 2 },
      { ...notice, more: [] },
      changed({ more: [] }),
      changed({ sorts: ['leases', 'colors'] }),
      changed({ sorts: 'all' }),
      changed({ consumers: ['x'] }),
      changed({ consumers: [{ owner: 7, name: 'x' }] }),
      changed({ destinationIds: 'some' }),
    ])
    await one.createClient({ id: 'cli_1', name: 'erp', environment: 'any', scopes: [], secretHash: '0' }, NOON)
    await storeNumbered(one, 0, 3)
    await until(() => heard.changes().sorts.includes('clients') && heard.events().length >= 3)
    expect(heard.troubles).toEqual([])
  })

  it('is not led to other positions and numbers by a notice that no commit sent', async () => {
    const url = await server.createDatabase()
    const { one, other } = await openNodes(url)
    await storeNumbered(one, 0, 3)
    const heard = await watch(other)
    const { changes: number } = (await query(url, 'select changes from head'))[0] as { changes: string }
    for (let next = 1; next <= 3; next++) {
      const position = Number.MAX_SAFE_INTEGER - 3 + next
      await notify(url, [{ origin: 'x', number: Number(number) + next, after: 0, position, changes: NO_CHANGES }])
    }
    await storeNumbered(one, 3, 3)
    await until(() => ['3', '4', '5'].every((subject) => heard.subjects().includes(subject)))
    await until(() => heard.changes().destinationIds === 'all')
    expect(heard.subjects().filter((subject) => Number(subject) < 3)).toEqual([])
    expect(heard.troubles).toEqual([])
  })

  it('takes up all changes at each look while no connection listens', async () => {
    const url = await server.createDatabase()
    const { one } = await openNodes(url)
    const readers = createReaders({ url }, 'portaria test reader')
    onTestFinished(readers.end)
    const troubles: (string | null)[] = []
    const subjects: (string | null)[] = []
    let looks = 0
    const { stop } = watchChanges(
      {
        connect: () => Promise.reject(new Error('too many connections')),
        read: readers.read,
        own: createOwnCommits('own'),
      },
      {
        onChanges({ events, sorts }) {
          if (sorts.length === CHANGE_SORTS.length) looks++
          subjects.push(...events.map(({ subject }) => subject))
        },
        onTrouble: (reason) => troubles.push(reason),
      },
    )
    onTestFinished(stop)
    await until(() => looks > 0)
    await storeNumbered(one, 0, 3)
    await until(() => subjects.length >= 3 && looks > 2)
    expect(subjects.sort()).toEqual(['0', '1', '2'])
    expect(troubles).toEqual(['too many connections'])
  })

  it('finds by itself what no notice told', async () => {
    const url = await server.createDatabase()
    await query(
      url,
      `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$;
      create function public.pg_notify(text, text) returns void language sql as 'select'`,
    )
    const { one, other } = await openNodes(url)
    const heard = await watch(other)
    await storeNumbered(one, 0, 900)
    await until(() => heard.events().length >= 900)
    expect(new Set(heard.subjects()).size).toBe(900)
    expect(heard.changes()).toEqual(ALL_CHANGES)
    heard.forget()
    await one.createDestination(aDestination(), NOON)
    await until(() => heard.changes().sorts.includes('destinations'))
    expect(heard.events()).toEqual([])
  })
})
