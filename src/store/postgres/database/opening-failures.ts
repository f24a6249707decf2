import { messageOf, PortariaError, systemWords } from '../../../platform/errors.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../../platform/postgres/postgres-address.ts'
import { sqlStateOf } from './failures.ts'

/** Why a connection could not be made, or is of no use, in one sentence that says what to do. */
export function openingFailure(error: unknown, address: PostgresAddress): PortariaError {
  if (error instanceof PortariaError) return error
  return new PortariaError('store_unavailable', wordsOf(error, address), { cause: error })
}

function wordsOf(error: unknown, address: PostgresAddress): string {
  const { user, host, port, database } = parsePostgresUrl(address.url)
  const place = host.startsWith('/') ? `PostgreSQL at ${host}` : `PostgreSQL at ${host}:${port}`
  const state = sqlStateOf(error)
  if (state !== '') return wordsOfServer(state, { error, place, user, database })
  const message = messageOf(error)
  if (message.includes('client password must be a string') || message.includes('must be a non-empty string'))
    return `${place} wants a password of ${user}: write it to a file, and name that in storage.passwordFile`
  if (message.includes('does not support SSL'))
    return `${place} offers no TLS: switch its ssl on, with a certificate for ${host}`
  if (isOfCertificate(error))
    return `${place} does not prove with its certificate that it is ${host} (${message}): name its issuers in storage.authorities, or correct the certificate`
  return `${place} cannot be reached (${reasonOf(error)}): start it, or correct storage.url`
}

interface Refusal {
  readonly error: unknown
  readonly place: string
  readonly user: string
  readonly database: string
}

function wordsOfServer(state: string, { error, place, user, database }: Refusal): string {
  const message = messageOf(error)
  if (state === '28P01') return `${place} refuses the password of ${user}: write the right one to storage.passwordFile`
  if (state.startsWith('28'))
    return `${place} does not let ${user} in (${message}): create the user, or give it a line in pg_hba.conf`
  if (state === '3D000') return `${place} has no database ${database}: create it, or correct storage.url`
  if (state === '42501')
    return `${user} lacks a right in the database ${database} (${message}): give it what docs/examples/postgres-role.sql gives`
  if (state === '57P03') return `${place} is starting or stopping (${message}): try again when it is up`
  if (state.startsWith('53')) return `${place} has no room left for a connection or for data (${message}): give it more`
  return `${place} refused: ${message}`
}

/** Of Node.js: the name does not fit, or OpenSSL could not verify the chain. */
function isOfCertificate(error: unknown): boolean {
  const code = codeOf(error)
  return code.startsWith('ERR_TLS') || /CERT|ISSUER|SIGNATURE/.test(code)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function reasonOf(error: unknown): string {
  // A name with several addresses.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return messageOf(first) === 'timeout expired' ? 'it does not answer' : systemWords(first)
}
