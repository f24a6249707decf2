import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** Where Debian installs each version. */
const VERSIONS = '/usr/lib/postgresql'
/** Not that of the host: no time may depend on it. */
const ZONE = 'timezone=America/Sao_Paulo'
const OTHER_USER = 65_534

/** The programs of the newest installed PostgreSQL; null: none is installed. */
export function postgresPrograms(): string | null {
  if (!existsSync(VERSIONS)) return null
  const versions = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'))
  return folders.find((folder) => existsSync(join(folder, 'postgres'))) ?? null
}

export interface PostgresServer {
  /** Of a new, empty database. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** Starts a server of its own that listens on a socket in a temporary folder. PostgreSQL refuses to run as root: then it gets another user. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = postgresPrograms()
  if (programs === null) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'portaria-pg-'))
  const user = process.getuid?.() === 0 ? { uid: OTHER_USER, gid: OTHER_USER } : {}
  if ('uid' in user) chownSync(folder, OTHER_USER, OTHER_USER)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '-U', 'portaria', '--auth', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C.UTF-8']
  const made = spawnSync(join(programs, 'initdb'), initdb, { ...user, cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'full_page_writes=off', ZONE]
  const arguments_ = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const server = spawn(join(programs, 'postgres'), arguments_, { ...user, cwd: folder, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const urlOf = (database: string) => `postgres://portaria@/${database}?host=${encodeURIComponent(folder)}`
  const admin = await connected(urlOf('postgres'), () => server.exitCode !== null)
  let databases = 0
  return {
    async createDatabase() {
      const name = `test_${++databases}`
      await admin.query(`create database ${name}`)
      return urlOf(name)
    },
    async stop() {
      await admin.end()
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function connected(url: string, hasEnded: () => boolean): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      if (hasEnded()) throw new Error('the PostgreSQL server has ended', { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
