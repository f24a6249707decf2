import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { adviceForCredential } from '../../../platform/credentials.ts'
import { PortariaError, systemWords } from '../../../platform/errors.ts'
import { isLoopback } from '../../../platform/loopback.ts'
import { isPermissionError, permissionAdvice } from '../../../platform/permission.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../../platform/postgres/postgres-address.ts'

/** Beyond it a server counts as away. */
export const CONNECT_MS = 3000
/** Of an idle connection. How often and how long is the system's. */
const KEEP_ALIVE_MS = 5000

/**
 * What this store relies on, and may be set otherwise for a database or a user. Each transaction sets it, not the connection: PgBouncer refuses settings
 * of a connection, and may give each transaction another session.
 */
const SETTINGS = [
  "time zone 'UTC'",
  "datestyle = 'ISO'",
  'lock_timeout = 0',
  'client_min_messages = warning',
  'standard_conforming_strings = on',
  'array_nulls = on',
  // Its statements are short. Up to version 17, one with a setting such as `enable_seqscan = off` would always be compiled.
  'jit = off',
]

/**
 * Ends no connection that is idle, and no transaction that has its own limits, where these are limited for a database or a user. Behind PgBouncer, which
 * keeps connections to the server itself, it may have no effect. Older versions lack one of them.
 */
export const WITHOUT_LIMITS =
  "select set_config(name, '0', false) from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')"

/** The statements that begin a transaction. @param settings of it, beside those of all */
export function beginWith(mode: string, settings: readonly string[]): string {
  return [`begin ${mode}`, ...[...SETTINGS, ...settings].map((setting) => `set local ${setting}`)].join(';')
}

/**
 * TLS with the name and the issuer verified, unless the server is on this machine.
 * @throws PortariaError `configuration_invalid`
 */
export function connectionOptions(address: PostgresAddress, applicationName: string): pg.ClientConfig {
  const { user, host, port, database } = parsePostgresUrl(address.url)
  return {
    user,
    host,
    port,
    database,
    application_name: applicationName,
    password: () => readPassword(address.passwordFile ?? null) as Promise<string>,
    ssl: tlsOf(address, host),
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
}

/** Without a file no password is sent, wherever else the client looks for one. */
async function readPassword(file: string | null): Promise<string | undefined> {
  if (file === null) return undefined
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable('password', error, { file, key: 'storage.passwordFile' })
  })
  return text.replace(/\r?\n$/, '')
}

function tlsOf({ authorities }: PostgresAddress, host: string): pg.ClientConfig['ssl'] {
  const hasFile = authorities !== undefined && authorities !== null
  if (host.startsWith('/') || (isLoopback(host) && !hasFile)) return false
  try {
    return { rejectUnauthorized: true, ...(hasFile && { ca: readFileSync(authorities, 'utf8') }) }
  } catch (error) {
    throw unreadable('certificates', error, { file: authorities ?? '', key: 'storage.authorities' })
  }
}

function unreadable(
  what: string,
  cause: unknown,
  { file, key }: { readonly file: string; readonly key: string },
): PortariaError {
  const words = `the ${what} of the database cannot be read from ${file} (${systemWords(cause)})`
  return new PortariaError('store_unavailable', `${words}: ${adviceFor(file, key, cause)}`, { cause })
}

function adviceFor(file: string, key: string, cause: unknown): string {
  if (isPermissionError(cause)) return permissionAdvice()
  return file.startsWith('/run/credentials/') ? adviceForCredential(file) : `create it, or correct ${key}`
}
