import { isIP } from 'node:net'
import { PortariaError } from '../errors.ts'
import { say } from '../said.ts'
import type { Reading } from '../units.ts'

/** Where the database is. */
export type DatabaseAddress = SqliteAddress | PostgresAddress

export interface SqliteAddress {
  /** An absolute path. */
  readonly file: string
}

/** A database of a PostgreSQL server. It holds no password, so it may be shown. */
export interface PostgresAddress {
  /** As `readPostgresUrl` takes it. */
  readonly url: string
  /** Absolute path of the file with the password, which is read at each connection; default: none is sent. */
  readonly passwordFile?: string | null
  /** Absolute path of a PEM file with the authorities of the server's certificate; default: the public ones. */
  readonly authorities?: string | null
}

/** The parts of a URL. */
export interface PostgresPlace {
  readonly user: string
  /** A name, an address, or the folder of the server's Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
}

export const POSTGRES_FORM = 'postgres://USER@HOST:PORT/DATABASE'
const SOCKET_FORM = 'postgres://USER@/DATABASE?host=/FOLDER'

const DEFAULT_PORT = 5432
const PARTS =
  /^postgres(?:ql)?:\/\/(?:([^:@/?#]+)(:[^@/?#]*)?@)?(\[[0-9a-f:.]+\]|[^:@/?#[\]]*)(?::(\d{1,5}))?\/([^/?#]+)(?:\?([^#]*))?$/i

/** Also one whose characters end the part of a URL that it is in. */
const BEGINS_WITH_PASSWORD = /^postgres(?:ql)?:\/\/[^@]*:[\s\S]*@/i
/** As libpq takes them. */
const HAS_SEVERAL_HOSTS = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#]*,/i

/** The parts of a URL of the form `POSTGRES_FORM`, or of `SOCKET_FORM` for a Unix socket. */
export function readPostgresUrl(url: string): Reading<PostgresPlace> {
  const [, user, password, named = '', port = String(DEFAULT_PORT), database = '', query] = PARTS.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  if (password !== undefined || parameters.has('password') || BEGINS_WITH_PASSWORD.test(url))
    return { problem: PASSWORD_IN_URL }
  if (HAS_SEVERAL_HOSTS.test(url) || parameters.get('host')?.includes(',')) return { problem: SEVERAL_HOSTS }
  if ([...parameters.keys()].some((name) => name !== 'host'))
    return { problem: 'may have no parameter but host: TLS follows from the address and from storage.authorities' }
  const folder = parameters.get('host')
  const host = folder ?? named.replace(/^\[|\]$/g, '')
  if (user === undefined || host === '' || Number(port) < 1 || Number(port) > 65_535)
    return { problem: `must be ${POSTGRES_FORM}` }
  if (folder !== null && (named !== '' || !folder.startsWith('/')))
    return { problem: `must name either a host or the folder of a socket: ${SOCKET_FORM}` }
  try {
    const [userName, databaseName] = [decodeURIComponent(user), decodeURIComponent(database)]
    return { value: { host, port: Number(port), user: userName, database: databaseName } }
  } catch {
    return { problem: 'has a "%" that is no percent-encoding: write %25' }
  }
}

/** The same of a URL that was read before. @throws PortariaError `configuration_invalid`, without the URL: it may hold a password */
export function parsePostgresUrl(url: string): PostgresPlace {
  const place = readPostgresUrl(url)
  if ('value' in place) return place.value
  throw new PortariaError('configuration_invalid', say`the URL of the database ${{ problem: place.problem }}`)
}

const PASSWORD_IN_URL =
  'must not hold a password, because logs and lists of processes would show it: write it to a file, and name that in storage.passwordFile'

const SEVERAL_HOSTS =
  'must name one host: an address that leads to the primary, also after a failover, as docs/several-nodes.md says'

/** For people, and to compare: the path of an SQLite database, or the URL of a PostgreSQL one without its user. */
export function nameOfDatabase(address: DatabaseAddress): string {
  if ('file' in address) return address.file
  const { host, port, database } = parsePostgresUrl(address.url)
  const at = port === DEFAULT_PORT ? '' : `:${port}`
  if (host.startsWith('/')) return `postgres://${at}/${database}?host=${host}`
  return `postgres://${isIP(host) === 6 ? `[${host}]` : host}${at}/${database}`
}
