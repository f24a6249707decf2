import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { reservePorts } from '../ports.ts'
import { postgresPrograms } from '../postgres.ts'
import { until } from '../until.ts'

/** PostgreSQL refuses to run as root: then it gets another user. */
const OWNER = process.getuid?.() === 0 ? ({ uid: 65_534, gid: 65_534 } as const) : null
const SYNCHRONOUS = 'synchronous_standby_names=standby'

/** One server with everything synced, as in production, and later its synchronous standby. On loopback, without passwords. */
export interface PostgresPair {
  /** Where the primary is, as of now. */
  readonly port: number
  /** A query at the primary. */
  query<Row>(text: string): Promise<Row[]>
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
  readonly settings: readonly string[]
  process: ChildProcess
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-pair-'))
  if (OWNER !== null) chownSync(folder, OWNER.uid, OWNER.gid)
  const [port = 0, standbyPort = 0] = await reservePorts(2)
  const data = join(folder, 'primary')
  run(
    'initdb',
    ['-D', data, '-U', 'portaria', '--auth', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C.UTF-8'],
    folder,
  )
  let primary = await started({ data, port, settings: [] }, folder)
  let standby: Server | null = null
  onTestFinished(async () => {
    await Promise.all([primary, standby].map((one) => one && ended(one, 'SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    get port() {
      return primary.port
    },
    query: (text) => query(primary.port, text),
    kill: () => ended(primary, 'SIGKILL'),
    async start() {
      primary = await started(primary, folder)
    },
    async addStandby() {
      const copy = join(folder, 'standby')
      mkdirSync(copy, { mode: 0o700 })
      if (OWNER !== null) chownSync(copy, OWNER.uid, OWNER.gid)
      const from = `host=127.0.0.1 port=${primary.port} user=portaria application_name=standby`
      run('pg_basebackup', ['-d', from, '-D', copy, '--write-recovery-conf', '--checkpoint=fast'], folder)
      standby = await started(
        { data: copy, port: standbyPort, settings: ['wal_retrieve_retry_interval=200ms'] },
        folder,
      )
      await query(primary.port, `alter system set ${SYNCHRONOUS}`)
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

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(programFile(program), args, { ...OWNER, cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
}

function programFile(program: string): string {
  return join(postgresPrograms() ?? '', program)
}

async function started(server: Omit<Server, 'process'>, folder: string): Promise<Server> {
  const { data, port, settings } = server
  const own = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const args = ['-D', data, ...own.flatMap((setting) => ['-c', setting])]
  // What is left of a killed one holds its shared memory for a moment: then the next one refuses to start.
  const begin = () => spawn(programFile('postgres'), args, { ...OWNER, cwd: folder, stdio: 'ignore' })
  let process = begin()
  await until(() => {
    if (process.exitCode !== null) process = begin()
    return query(port, 'select 1').catch(() => null)
  })
  return { ...server, process }
}

async function ended({ process }: Server, signal: NodeJS.Signals): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const gone = new Promise((done) => process.once('exit', done))
  process.kill(signal)
  await gone
}

async function query<Row>(port: number, text: string): Promise<Row[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'portaria', database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}
