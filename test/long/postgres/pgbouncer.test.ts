import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { optionsFor } from '../../store/contract/on-sqlite.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { reservePort } from '../../support/ports.ts'
import { OTHER_USER, type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'
const isInstalled = spawnSync(PGBOUNCER, ['--version']).status === 0

describe.skipIf(postgresPrograms() === null || !isInstalled)('behind PgBouncer', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function startPgbouncer(mode: 'session' | 'transaction'): Promise<{ port: number; process: ChildProcess }> {
    const [folder, port] = [temporaryFolder(), await reservePort()]
    const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')]
    writeFileSync(users, '"portaria" ""\n')
    const place = `host=${server.folder} port=${server.port}`
    const listen = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`
    const access = `auth_type = trust\nauth_file = ${users}`
    writeFileSync(file, `[databases]\n* = ${place}\n[pgbouncer]\n${listen}\n${access}\npool_mode = ${mode}\n`)
    const isRoot = process.getuid?.() === 0
    if (isRoot) for (const path of [folder, file, users]) chownSync(path, OTHER_USER, OTHER_USER)
    const user = isRoot ? { uid: OTHER_USER, gid: OTHER_USER } : {}
    const bouncer = spawn(PGBOUNCER, ['-q', file], { ...user, cwd: folder, stdio: 'ignore' })
    onTestFinished(() => void bouncer.kill('SIGKILL'))
    return { port, process: bouncer }
  }

  async function openThrough(port: number, database: string) {
    const { file: _file, ...options } = optionsFor()
    const troubles: boolean[] = []
    const url = `postgres://portaria@127.0.0.1:${port}/${database}`
    const onTrouble = ({ broken }: { broken: boolean }) => void troubles.push(broken)
    const open = () => openPostgresStore({ ...options, url, onTrouble }).catch(() => null)
    // The program needs a moment until it listens.
    const store = (await until(open)) as PostgresStore
    onTestFinished(() => store.close())
    return { store, troubles }
  }

  const modes = ['session', 'transaction'] as const
  it.each(modes)('in mode %s, two nodes store at the same time, and each position is given once', async (mode) => {
    const bouncer = await startPgbouncer(mode)
    const database = (await server.createDatabase()).replace(/.*\/(\w+)\?.*/, '$1')
    const nodes = [await openThrough(bouncer.port, database), await openThrough(bouncer.port, database)]
    const [first] = nodes as [(typeof nodes)[number]]
    await first.store.createDestination(aDestination(), NOON)
    const calls = nodes.flatMap(({ store }, node) =>
      Array.from({ length: 100 }, (_, n) => store.storeCallback(aCallback({ text: `{"node":${node},"n":${n}}` }))),
    )
    expect(new Set((await Promise.all(calls)).flatMap(({ eventIds }) => eventIds)).size).toBe(200)
    expect(await first.store.latestPosition()).toBe(200)

    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where datname like 'test%'")
    const again = () => first.store.storeCallback(aCallback({ text: '1' })).catch(() => null)
    expect(await until(again)).toMatchObject({ duplicates: 0 })
  })
})
