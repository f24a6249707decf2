import { PortariaError } from '../errors.ts'

/** Where a PostgreSQL database is. */
export interface PostgresAddress {
  /** `postgres://USER@HOST:PORT/DATABASE`, or `postgres://USER@/DATABASE?host=/FOLDER` for a socket in that folder. It holds no password. */
  readonly url: string
  /** Read for each new connection. */
  readonly passwordFile?: string | null
  /** PEM file of those who issue the server's certificate. Default: those that Node.js knows. */
  readonly authorities?: string | null
}

export interface PostgresPlace {
  readonly user: string
  /** A name, an address, or the folder of a socket. */
  readonly host: string
  readonly port: number
  readonly database: string
}

const FORM =
  /^postgres(?:ql)?:\/\/(?<user>[^@/?#]+)@(?<host>\[[^\]]+\]|[^:/?#]*)(?::(?<port>\d+))?\/(?<database>[^/?#]+)(?:\?host=(?<folder>[^&#]+))?$/
const DEFAULT_PORT = 5432

/** @throws PortariaError `configuration_invalid`, without the URL: it may hold a password */
export function parsePostgresUrl(url: string): PostgresPlace {
  const { user = '', host = '', port, database = '', folder } = FORM.exec(url)?.groups ?? {}
  if (user.includes(':'))
    throw new PortariaError(
      'configuration_invalid',
      'the URL of the database holds a password: write it to a file of its own, and name that in storage.passwordFile',
    )
  const place = folder === undefined ? host.replaceAll(/[[\]]/g, '') : decoded(folder)
  const isFolder = place.startsWith('/')
  if (place === '' || isFolder !== (host === ''))
    throw new PortariaError(
      'configuration_invalid',
      'the URL of a PostgreSQL database is postgres://USER@HOST:PORT/DATABASE, or postgres://USER@/DATABASE?host=/FOLDER for a socket',
    )
  return { user: decoded(user), host: place, port: Number(port ?? DEFAULT_PORT), database: decoded(database) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** For people: where the database is, in words that name no user. */
export function wordsOfPlace({ host, port, database }: PostgresPlace): string {
  return host.startsWith('/') ? `${database} at ${host}` : `${database} at ${host}:${port}`
}
