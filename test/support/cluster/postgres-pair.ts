import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { reservePort } from '../ports.ts'
import { debiansPrograms } from '../postgres.ts'
import { until } from '../until.ts'

/** PostgreSQL refuses to run as root: then it gets another user. */
const OWNER = process.getuid?.() === 0 ? ({ uid: 65_534, gid: 65_534 } as const) : null
/** A standby looks for the primary again, and for its promotion, so often. */
const SETTINGS = ['wal_retrieve_retry_interval=200ms']

/** One server with everything synced, as in production, and later its synchronous standby. On loopback, without passwords. */
export interface PostgresPair {
  /** Where the primary is, as of now. */
  readonly port: number
  /** A query at the primary, in the database `portaria`. */
  query<Row>(sql: string): Promise<Row[]>
  /** SIGKILL to its first process: the others of the server end by themselves. */
  kill(): Promise<void>
  /** Starts what was killed, and waits until it answers: it recovers first. */
  start(): Promise<void>
  /** A copy of the primary that follows it; from now on each commit waits for it. */
  addStandby(): Promise<void>
  /** Kills the primary for good. The standby is the primary from now on, alone. */
  failOver(): Promise<void>
}

interface Server {
  readonly data: string
  readonly port: number
  process: ChildProcess
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-pair-'))
  if (OWNER !== null) chownSync(folder, OWNER.uid, OWNER.gid)
  const port = await reservePort()
  const data = join(folder, 'primary')
  let copies = 0
  await run(
    'initdb',
    ['-D', data, '-U', 'portaria', '--auth', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C.UTF-8'],
    folder,
  )
  let primary = await started({ data, port }, folder)
  await query(port, 'create database portaria', 'postgres')
  let standby: Server | null = null
  onTestFinished(async () => {
    await Promise.all([primary, standby].map((one) => one && ended(one, 'SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    get port() {
      return primary.port
    },
    query: (sql) => query(primary.port, sql),
    kill: () => ended(primary, 'SIGKILL'),
    async start() {
      primary = await started(primary, folder)
    },
    async addStandby() {
      const copy = join(folder, `standby-${++copies}`)
      mkdirSync(copy, { mode: 0o700 })
      if (OWNER !== null) chownSync(copy, OWNER.uid, OWNER.gid)
      const from = `host=127.0.0.1 port=${primary.port} user=portaria application_name=standby`
      await run(
        'pg_basebackup',
        ['-d', from, '-D', copy, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
        folder,
      )
      standby = await started({ data: copy, port: await reservePort() }, folder)
      await query(primary.port, "alter system set synchronous_standby_names = 'standby'")
      await query(primary.port, 'select pg_reload_conf()')
      await until(
        () => query<{ sync_state: string }>(primary.port, 'select sync_state from pg_stat_replication'),
        ([row]) => row?.sync_state === 'sync',
      )
    },
    async failOver() {
      if (standby === null) throw new Error('there is no standby')
      await ended(primary, 'SIGKILL')
      await query(standby.port, 'select pg_promote()')
      primary = standby
      standby = null
    },
  }
}

/** Not `spawnSync`: what the nodes send meanwhile passes through this process. */
async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(programFile(program), args, { ...OWNER, cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  if (code !== 0) throw new Error(`${program} failed: ${stderr}`)
}

function programFile(program: string): string {
  return join(debiansPrograms() ?? '', program)
}

async function started(server: Omit<Server, 'process'>, folder: string): Promise<Server> {
  const { data, port } = server
  const own = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...SETTINGS]
  const args = ['-D', data, ...own.flatMap((setting) => ['-c', setting])]
  // What is left of a killed one holds its shared memory for a moment: then the next one refuses to start.
  const begin = () => spawn(programFile('postgres'), args, { ...OWNER, cwd: folder, stdio: 'ignore' })
  let process = begin()
  await until(() => {
    if (process.exitCode !== null) process = begin()
    return query(port, 'select 1', 'postgres').catch(() => null)
  })
  return { ...server, process }
}

async function ended({ process }: Server, signal: NodeJS.Signals): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const gone = new Promise((done) => process.once('exit', done))
  process.kill(signal)
  await gone
}

async function query<Row>(port: number, sql: string, database = 'portaria'): Promise<Row[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'portaria', database })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(sql)).rows as Row[]
  } finally {
    await client.end()
  }
}
