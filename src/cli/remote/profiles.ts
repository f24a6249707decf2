import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createFile, replaceFile, syncFolder } from '../../platform/atomic-file.ts'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readRegularFile } from '../../platform/regular-file.ts'

/** A gateway of another machine, with the credentials for its API. Paths are absolute. */
export interface Profile {
  /** Its base address. */
  readonly api: string
  /** OAuth client credentials, or a fixed bearer token. */
  readonly credentials: ClientCredentials | { readonly token: string }
  /** Path of the authorities of its certificate, PEM; null: the public ones. */
  readonly ca: string | null
  /** Paths of a client certificate and its key, PEM. */
  readonly certificate: { readonly cert: string; readonly key: string } | null
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

export const DEFAULT_PROFILE = 'default'

/** `$XDG_CONFIG_HOME/portaria/profiles`, by default below ~/.config (XDG Base Directory Specification). */
function profilesFolder(): string {
  const { XDG_CONFIG_HOME: config = '' } = process.env
  return join(config.startsWith('/') ? config : join(homedir(), '.config'), 'portaria/profiles')
}

function fileOf(name: string): string {
  if (!/^[\w-][\w.-]{0,63}$/.test(name))
    throw new PortariaError('request_invalid', `"${name}" is no name of a profile: use letters, digits, -, _ and .`)
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
    throw new PortariaError('configuration_invalid', `the profile cannot be written to ${file}: ${systemWords(error)}`)
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
    const isWhole =
      'token' in credentials ? typeof credentials.token === 'string' : typeof credentials.clientSecret === 'string'
    if (typeof api === 'string' && isWhole) return profile
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError))
      throw wrong(`${file} cannot be read: ${messageOf(error)}`)
  }
  throw wrong(`${file} is damaged: run "${COMMAND} login" again`)
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
