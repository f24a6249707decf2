import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSharedTime } from '../../../src/gateway/nodes/shared-time.ts'
import { startClockGuard } from '../../../src/jobs/clock-guard.ts'
import { refuseServer } from '../../../src/store/postgres/database/server-check.ts'
import { readPostgres } from '../../../src/store/postgres/postgres-reader.ts'
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/store/postgres/postgres-store.ts'
import { readServerFacts } from '../../../src/store/postgres/server-facts.ts'
import { verifyPostgres } from '../../../src/store/postgres/verification/verify-postgres.ts'
import { optionsFor } from '../../store/contract/on-sqlite.ts'
import { createAuthority } from '../../support/authority.ts'
import { aCallback } from '../../support/builders.ts'
import { recordingLog } from '../../support/gateway.ts'
import { postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const PASSWORD = 'correct horse'

function options(changes: Partial<PostgresStoreOptions> & { readonly url: string }): PostgresStoreOptions {
  const { file: _file, ...others } = optionsFor()
  return { ...others, ...changes }
}

async function open(changes: Partial<PostgresStoreOptions> & { readonly url: string }) {
  const store = await openPostgresStore(options(changes))
  onTestFinished(() => store.close())
  return store
}

/** The whole message of the refusal, and its code. */
async function refusal(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => new Error('it was opened'),
    (reason) => reason,
  )
  return `${error.code}: ${error.message}`
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, text)
  return file
}

const hasPsql = spawnSync('psql', ['--version']).status === 0

const SERVER = { access: ['host all guarded,least 127.0.0.1/32 scram-sha-256'] }

describePostgres('a store is opened on PostgreSQL', SERVER, (server) => {
  beforeAll(async () => {
    await server.query(`create role guarded login password '${PASSWORD}'`)
  })

  const nameOf = (url: string) => /\/(\w+)\?/.exec(url)?.[1] ?? ''
  /** A new database over TCP. */
  async function remote(user = 'portaria', database?: string): Promise<string> {
    return `postgres://${user}@127.0.0.1:${server.port}/${database ?? nameOf(await server.createDatabase())}`
  }

  it('not with a password in its URL, which no message repeats', async () => {
    const message = await refusal(open({ url: `postgres://me:${PASSWORD}@127.0.0.1/database` }))
    expect(message).toMatch(
      /^configuration_invalid: the URL of the database must not hold a password, .*: write it to a file/,
    )
    expect(message).not.toContain(PASSWORD)
    expect(await refusal(open({ url: 'postgres://127.0.0.1' }))).toContain('must be postgres://USER@HOST:PORT/DATABASE')
  })

  it('not where nothing listens, nothing answers, or the name is unknown', async () => {
    expect(await refusal(open({ url: 'postgres://me@127.0.0.1:1/database' }))).toBe(
      'store_unavailable: PostgreSQL at 127.0.0.1:1 cannot be reached (nothing listens there): start it, or correct storage.url',
    )
    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    expect(await refusal(open({ url: `postgres://me@127.0.0.1:${port}/database` }))).toContain('(it does not answer)')
    expect(await refusal(open({ url: 'postgres://me@name.invalid/database' }))).toContain('(its name is unknown)')
    expect(await refusal(open({ url: 'postgres://me@/database?host=/nowhere' }))).toContain('(it does not exist)')
  })

  it('by the password in a file, which may change, and by no other', async () => {
    const database = nameOf(await server.createDatabase())
    await server.query('grant create on schema public to guarded', database)
    const url = await remote('guarded', database)
    const passwordFile = fileWith('wrong\n')
    expect(await refusal(open({ url }))).toContain('wants a password of guarded: write it to a file')
    expect(await refusal(open({ url, passwordFile }))).toBe(
      `store_unavailable: PostgreSQL at 127.0.0.1:${server.port} refuses the password of guarded: write the right one to storage.passwordFile`,
    )
    expect(await refusal(open({ url, passwordFile: '/nowhere/file' }))).toContain(
      'the password of the database cannot be read from /nowhere/file (it does not exist): create it, or correct storage.passwordFile',
    )
    writeFileSync(passwordFile, `${PASSWORD}\n`)
    const store = await open({ url, passwordFile })
    await server.query("alter role guarded password 'another'")
    writeFileSync(passwordFile, 'another')
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'guarded'")
    await expect.poll(() => store.storeCallback(aCallback({})).catch(() => null)).toMatchObject({ duplicates: 0 })
    await server.query(`alter role guarded password '${PASSWORD}'`)
  })

  it('not where the database is not there, or the user is, or lacks a right', async () => {
    expect(await refusal(open({ url: await remote('portaria', 'other') }))).toContain(
      'has no database other: create it',
    )
    expect(await refusal(open({ url: await remote('nobody') }))).toContain('does not let nobody in')
    const passwordFile = fileWith(PASSWORD)
    expect(await refusal(open({ url: await remote('guarded'), passwordFile }))).toMatch(
      /guarded lacks a right in the database test_\d+ \(.*\): give it what docs\/examples\/postgres-role.sql gives$/,
    )
  })

  it('not where another program has its tables, or parts of ours are missing', async () => {
    const foreign = await server.createDatabase()
    await server.query('create table accounts (id int); create table meta (key text, value text)', nameOf(foreign))
    expect(await refusal(open({ url: foreign }))).toContain(
      "the database holds tables that are not Portaria's (accounts, meta): create an empty database for Portaria",
    )
    for (const [damage, missing] of [
      ['drop table attempts', 'attempts, attempts_delivery, attempts_pkey'],
      ['drop index events_fact', 'events_fact'],
      ['alter table events drop column nonce', 'events.nonce, single_callbacks.nonce'],
      ['delete from head', 'the row of head'],
    ] as const) {
      const url = await server.createDatabase()
      await (await openPostgresStore(options({ url }))).close()
      await server.query(damage, nameOf(url))
      expect(await refusal(open({ url }))).toContain(`the database is not whole, ${missing} is missing: restore it`)
    }
  })

  it('by a reader only behind the first start of a gateway', async () => {
    const url = await server.createDatabase()
    expect(await refusal(readPostgres({ url }))).toBe(
      'store_missing: the database holds nothing yet: start the gateway once, it makes the schema',
    )
    const store = await open({ url })
    await store.storeCallback(aCallback({}))
    const reader = await readPostgres({ url })
    expect(await reader.latestPosition()).toBe(1)
    await reader.close()
  })

  it('not in production where a crash could lose what was acknowledged', async () => {
    const careless = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } })
    onTestFinished(() => careless.stop())
    const url = await careless.createDatabase()
    const unsafe: (readonly string[])[] = []
    await open({ url: await server.createDatabase(), isProduction: true })
    await open({ url, onUnsafe: (settings) => void unsafe.push(settings) })
    const words = [
      'fsync is off: a crash of the machine can destroy the database',
      'full_page_writes is off: a crash of the machine can destroy the database',
    ]
    expect(unsafe).toEqual([words])
    expect((await readServerFacts({ url })).unsafeSettings).toEqual(words)
    expect(await refusal(open({ url, isProduction: true }))).toBe(
      `store_unavailable: ${words.join('; ')}: give PostgreSQL its defaults again`,
    )
    await careless.query(`alter database ${nameOf(url)} set synchronous_commit = off`)
    const { unsafeSettings } = await readServerFacts({ url })
    expect(unsafeSettings).toContainEqual(expect.stringContaining('synchronous_commit is off'))
  })

  it('with whatever settings the database or its user has', async () => {
    const url = await server.createDatabase()
    const settings = {
      default_transaction_isolation: "'serializable'",
      datestyle: "'German'",
      timezone: "'Asia/Tokyo'",
      lock_timeout: "'1ms'",
      client_encoding: "'LATIN1'",
      standard_conforming_strings: 'off',
      array_nulls: 'off',
      bytea_output: "'escape'",
      statement_timeout: "'20s'",
    }
    for (const [name, value] of Object.entries(settings))
      await server.query(`alter database ${nameOf(url)} set ${name} = ${value}`)
    const [one, other] = [await open({ url }), await open({ url })]
    const at = Date.UTC(2026, 1, 3, 4, 5, 6, 789)
    const storing = [one, other, one, other].map((store, n) =>
      store.storeCallback(aCallback({ text: `{"identificador":"é${n}"}`, receivedAt: at })),
    )
    expect((await Promise.all(storing)).flatMap(({ eventIds }) => eventIds)).toHaveLength(4)
    const { events } = await one.listEvents({}, 10)
    expect(events.map(({ receivedAt }) => receivedAt)).toEqual([at, at, at, at])
    const { verification, chain } = await verifyPostgres({ url }, [], () => undefined)
    expect([verification.problems, chain?.problems]).toEqual([[], []])
  })

  it('and stays open where idle connections are ended', async () => {
    const url = await server.createDatabase()
    await server.query(`alter database ${nameOf(url)} set idle_session_timeout = '500ms'`)
    const troubles: string[] = []
    const store = await open({ url, onTrouble: ({ message }) => troubles.push(message) })
    const idle = `select from pg_stat_activity where datname = '${nameOf(url)}' and application_name like '% writer'
      and clock_timestamp() - state_change > interval '1500 ms'`
    await until(
      () => server.query(idle),
      (rows) => rows.length === 1,
    )
    await store.storeCallback(aCallback({}))
    expect(troubles).toEqual([])
  })

  it('with the time of the database, before anything judges a host whose clock is days behind', async () => {
    const url = await server.createDatabase()
    const earlier = await open({ url })
    await earlier.recordClock({ heartbeatAt: Date.now() })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3 * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    const time = createSharedTime()
    const store = await open({ url, time })
    const clock = await startClockGuard({ store, now: time.now, log: recordingLog([]) })
    onTestFinished(() => clock.stop())
    // As each sign of life does.
    time.follow(performance.timeOrigin + performance.now(), Date.now(), Date.now())
    expect(clock.state()).toEqual({ isPlausible: true, problem: null })
    expect((await store.readClock()).distrustedSince).toBeNull()
  })

  it('not on a server that is too old', async () => {
    const old = { query: async () => ({ rows: [{ version: 14, words: '14.9' }] }) }
    await expect(refuseServer(old as unknown as pg.Client, true)).rejects.toThrow(
      'PostgreSQL 14.9 is too old: Portaria needs version 15 or newer, upgrade the server',
    )
  })

  it.skipIf(!hasPsql)('with the least rights that the script gives (with psql)', async () => {
    const passwordFile = fileWith(`${PASSWORD}\n`)
    const values = { database: 'least', user: 'least', password_file: passwordFile }
    const variables = Object.entries(values).flatMap(([name, value]) => ['-v', `${name}=${value}`])
    const at = ['-h', server.folder, '-p', String(server.port), '-U', 'portaria', '-d', 'postgres']
    const made = spawnSync('psql', [...at, '-q', ...variables, '-f', 'docs/examples/postgres-role.sql'], {
      encoding: 'utf8',
    })
    expect(made.stderr).toBe('')
    const url = await remote('least', 'least')
    const store = await open({ url, passwordFile })
    await store.storeCallback(aCallback({}))
    expect(await store.latestPosition()).toBe(1)
    const facts = await readServerFacts({ url, passwordFile })
    expect(facts).toMatchObject({ isSuperuser: false, isOpenToAll: false, lackingRights: [], hasTls: false })
    await server.query('alter table least.events owner to portaria; grant select on least.events to least', 'least')
    await server.query('grant connect on database least to public')
    const { lackingRights, isOpenToAll } = await readServerFacts({ url, passwordFile })
    expect(isOpenToAll).toBe(true)
    expect(lackingRights).toEqual(['delete from events', 'insert into events', 'update events'])
    expect(
      await server.query("select count(*)::int as n from pg_tables where schemaname = 'least'", 'least'),
    ).not.toEqual([{ n: 0 }])
  })
})

describe.skipIf(postgresPrograms() === null)('a store is opened on PostgreSQL over TLS', () => {
  it('when the certificate proves the name, by the given issuers alone', async () => {
    const authority = createAuthority(temporaryFolder())
    const issuer = authority.issue({ name: 'issuer', ca: true })
    const other = authority.issue({ name: 'other', ca: true })
    const named = (san: string) => ['basicConstraints=critical,CA:FALSE', `subjectAltName=${san}`]
    const right = authority.issue({ name: 'right', issuer, extensions: named('IP:127.0.0.1') })
    const wrong = authority.issue({ name: 'wrong', issuer, extensions: named('DNS:db.example') })

    async function opening(certificate: typeof right | null, authorities: string): Promise<string> {
      const tls = certificate === null ? {} : { tls: { certificate: certificate.certFile, key: certificate.keyFile } }
      const server = await startPostgres(tls)
      onTestFinished(() => server.stop())
      const url = `postgres://portaria@127.0.0.1:${server.port}/postgres`
      const opened = openPostgresStore(options({ url, authorities })).then(async (store) => {
        const used = await server.query(
          "select ssl from pg_stat_ssl natural join pg_stat_activity where application_name like 'portaria %'",
        )
        await store.close()
        return used
      })
      return opened.then(
        (used) => JSON.stringify(used),
        (error) => error.message,
      )
    }

    expect(await opening(right, issuer.certFile)).toMatch(/^\[\{"ssl":true\}(,\{"ssl":true\})*\]$/)
    expect(await opening(right, other.certFile)).toContain('name its issuers in storage.authorities')
    expect(await opening(wrong, issuer.certFile)).toContain('does not prove with its certificate that it is 127.0.0.1')
    expect(await opening(null, issuer.certFile)).toContain('offers no TLS: switch its ssl on')
    expect(await opening(right, '/nowhere')).toContain('the certificates of the database cannot be read from /nowhere')
  })
})

describe.skipIf(postgresPrograms() === null)('a standby', () => {
  it('opens no store, and lets a reader read', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const url = await server.createDatabase()
    await (await openPostgresStore(options({ url }))).close()
    await server.shutDown()
    writeFileSync(join(server.folder, 'data/standby.signal'), '')
    await server.start()
    expect(await refusal(open({ url }))).toContain('this PostgreSQL is a standby, which only reads: name the primary')
    const reader = await readPostgres({ url })
    expect(await reader.latestPosition()).toBe(0)
    await reader.close()
  })
})
