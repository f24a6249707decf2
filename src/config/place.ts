import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { adviceForCredential } from '../platform/credentials.ts'
import { isCopied } from './copied-characters.ts'

const PREFIX = 'credential:'
/** Credentials of the running service: only its user and root can read them (systemd.exec(5)). */
const OF_THE_SERVICE = '/run/credentials/portaria.service'

/**
 * The absolute path of a configured file: `credential:NAME` is a systemd credential, anything else a path relative to the folder of
 * the configuration.
 */
export function placeOf(directory: string, path: string): string {
  return isCredential(path) ? join(credentialsFolder(), path.slice(PREFIX.length)) : resolve(directory, path)
}

/** A command outside the unit reads the credentials of the running service. */
function credentialsFolder(): string {
  return process.env.CREDENTIALS_DIRECTORY || OF_THE_SERVICE
}

function isCredential(path: string): boolean {
  return path.startsWith(PREFIX)
}

export function isCredentialFile(file: string): boolean {
  return dirname(file) === credentialsFolder()
}

/** A user without permission for the folder cannot see whether it is there: then it is not missing. */
export function isMissingCredential(file: string): boolean {
  if (!isCredentialFile(file)) return false
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** Whether no service runs that could have loaded this credential, so that nothing is known about it. */
export function isWithoutService(file: string): boolean {
  return isCredentialFile(file) && !existsSync(dirname(file))
}

/** Why a credential does not exist, and what to do. systemd names the process that it starts itself in SYSTEMD_EXEC_PID (systemd.exec(5)). */
export function adviceForMissing(credential: string): string {
  return adviceForCredential(credential, { isOwn: process.env.SYSTEMD_EXEC_PID === String(process.pid) })
}

/** PEM, also on one line, or base64 of a SEQUENCE of DER. Errors name paths, and would quote a key. */
const CONTENT = /-----|[\r\n]|^\s*M[A-P][A-Za-z0-9+/=\s]{62,}$/

/** Why the path is invalid; null: it is valid. */
export function problemOfPlace(path: string): string | null {
  if (path === '' || path.includes('\0')) return 'must be the path of a file'
  if (isCopied(path)) return 'must be the path of a file, without typographic quotes and invisible characters'
  if (CONTENT.test(path)) return 'must be the path of a file, not its content: write that to a file and name it here'
  if (!isCredential(path) || /^(?!\.)[\w.@-]+$/.test(path.slice(PREFIX.length))) return null
  return 'must name a credential of the unit, such as credential:secrets_operator-token'
}
