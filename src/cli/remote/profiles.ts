import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { createFile, replaceFile, syncFolder } from '../../platform/atomic-file.ts'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import { say } from '../../platform/said.ts'

/** A gateway of another machine, with the credentials for its API. Paths are absolute. */
export interface Profile {
  /** Its base address. */
  readonly api: string
  /** OAuth client credentials, a fixed bearer token, or the session of a person. */
  readonly credentials: ClientCredentials | { readonly token: string } | { readonly session: Session }
  /** Path of the authorities of its certificate, PEM; null: the public ones. */
  readonly ca: string | null
  /** Paths of a client certificate and its key, PEM. */
  readonly certificate: { readonly cert: string; readonly key: string } | null
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** A person who signed in on this device (RFC 8628). */
export interface Session {
  /** Name, for people. */
  readonly person: string
  readonly accessToken: string
  /** Of the access token, in ms since 1970 by the clock of this machine. */
  readonly validUntil: number
  /** Each renewal replaces it; null: the provider gave none. */
  readonly refreshToken: string | null
}

export const DEFAULT_PROFILE = 'default'

/** `$XDG_CONFIG_HOME/portaria/profiles`, by default below ~/.config (XDG Base Directory Specification). */
function profilesFolder(): string {
  const { XDG_CONFIG_HOME: config = '' } = process.env
  return join(config.startsWith('/') ? config : join(homedir(), '.config'), 'portaria/profiles')
}

/** @throws PortariaError `request_invalid` */
export function checkProfileName(name: string): void {
  if (!/^[\w-][\w.-]{0,63}$/.test(name))
    throw new PortariaError(
      'request_invalid',
      say`"${{ name }}" is no name of a profile: use letters, digits, -, _ and .`,
    )
}

function fileOf(name: string): string {
  checkProfileName(name)
  return join(profilesFolder(), `${name}.json`)
}

/** With mode 0600, in a folder with mode 0700; replaces an earlier one. @returns its path */
export function writeProfile(name: string, profile: Profile): string {
  const file = fileOf(name)
  try {
    makeFolder(profilesFolder(), 0o700)
    const temporary = `${file}.${randomBytes(6).toString('hex')}`
    createFile(temporary, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 })
    replaceFile(temporary, file)
  } catch (error) {
    throw new PortariaError(
      'configuration_invalid',
      say`the profile cannot be written to ${{ file }}: ${{ error: systemWords(error) }}`,
    )
  }
  return file
}

/** @throws PortariaError `configuration_invalid` for a profile that is missing, damaged, or readable by others */
export function readProfile(name: string): Profile {
  const file = fileOf(name)
  if (!existsSync(file)) {
    const others = profileNames()
    const known = others.length === 0 ? '' : ` (there is ${others.join(', ')})`
    throw wrong(`there is no profile ${name}${known}: make it with "${COMMAND} login URL --profile ${name}"`)
  }
  if ((statSync(file).mode & 0o077) !== 0)
    throw wrong(`${file} holds a secret, and other users may read it: chmod 600 ${file}, and change the secret`)
  try {
    const profile = JSON.parse(readRegularFile(file).toString()) as Profile
    const { api, credentials } = profile
    if (typeof api === 'string' && typeof secretIn(credentials) === 'string') return profile
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError))
      throw wrong(`${file} cannot be read: ${messageOf(error)}`)
  }
  throw wrong(`${file} is damaged: run "${COMMAND} login" again`)
}

function secretIn(credentials: Profile['credentials']): unknown {
  if ('token' in credentials) return credentials.token
  return 'session' in credentials ? credentials.session.accessToken : credentials.clientSecret
}

/** Waits until no other process changes the profile, as far as that takes a session's time limit. */
export async function withProfile<T>(name: string, change: () => T | Promise<T>): Promise<T> {
  const lock = await openLock(`${fileOf(name)}.lock`)
  try {
    for (const endsAt = performance.now() + LONGEST_CHANGE_MS; ; ) {
      try {
        lock.exec('begin exclusive')
        break
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() > endsAt) throw wrong(`another process holds the profile ${name}: end it, or try again`)
        await pause(LOCK_PAUSE_MS)
      }
    }
    return await change()
  } finally {
    lock.close()
  }
}

/** For an exclusive transaction on an empty file, which the kernel ends when the process dies. */
async function openLock(file: string): Promise<Database> {
  const { default: Database } = await import('better-sqlite3')
  try {
    makeFolder(profilesFolder(), 0o700)
    return new Database(file, { timeout: 0 })
  } catch (error) {
    throw wrong(`the profile cannot be written to ${file}: ${systemWords(error)}`)
  }
}

/** Above the time limit of a request. */
const LONGEST_CHANGE_MS = 60_000
const LOCK_PAUSE_MS = 20

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

export function profileNames(): string[] {
  const folder = profilesFolder()
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.map((file) => file.slice(0, -'.json'.length)).sort()
}

/** @returns whether there was one */
export function removeProfile(name: string): boolean {
  const file = fileOf(name)
  if (!existsSync(file)) return false
  rmSync(file)
  syncFolder(profilesFolder())
  return true
}

function wrong(message: string): PortariaError {
  return new PortariaError('configuration_invalid', message)
}
