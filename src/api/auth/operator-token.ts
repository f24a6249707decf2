import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFile } from '../../platform/atomic-file.ts'
import { adviceForCredential } from '../../platform/credentials.ts'
import { decodedText } from '../../platform/decoded-text.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'
import { inFolderOf } from '../../platform/foreign-links.ts'
import { isPermissionError, permissionAdvice } from '../../platform/permission.ts'
import { readRegularFile, UnreadableFile } from '../../platform/regular-file.ts'
import { say } from '../../platform/said.ts'

const MIN_LENGTH = 32

/**
 * The operator's bearer token, or null when none is configured.
 * @param mayCreate for development: creates a missing file with mode 0600
 * @throws PortariaError `configuration_invalid`
 */
export function operatorToken(file: string | null, mayCreate: boolean): string | null {
  if (file === null) return null
  if (mayCreate && !existsSync(file)) create(file)
  const token = read(file).trim()
  if (token.length < MIN_LENGTH || !/^[A-Za-z0-9._~+/=-]+$/.test(token)) {
    throw new PortariaError(
      'configuration_invalid',
      say`api.operatorTokenFile ${{ file }}: the token must be at least ${{ least: MIN_LENGTH }} letters and digits; make one with: openssl rand -hex 32`,
    )
  }
  return token
}

function create(file: string): void {
  try {
    makeFolder(dirname(file), 0o700)
    const token = `${randomBytes(32).toString('hex')}\n`
    inFolderOf(file, (path) => createFile(path, token, { mode: 0o600 }))
  } catch (error) {
    throw new PortariaError(
      'configuration_invalid',
      say`api.operatorTokenFile ${{ file }} cannot be made: ${{ error: systemWords(error) }}; let this user write there, or name another file`,
      { cause: error },
    )
  }
}

function read(file: string): string {
  try {
    return decodedText(readRegularFile(file))
  } catch (error) {
    if (error instanceof UnreadableFile)
      throw new PortariaError(
        'configuration_invalid',
        say`api.operatorTokenFile ${{ file }} ${{ words: error.message }}`,
        { cause: error },
      )
    throw new PortariaError(
      'configuration_invalid',
      `api.operatorTokenFile ${file} cannot be read: ${systemWords(error)}; ${adviceFor(file, error)}`,
      { cause: error },
    )
  }
}

/** Permission problems must not lead to a new token: only a missing file gets the advice to create one. */
export function adviceFor(file: string, error: unknown): string {
  if (isPermissionError(error)) return permissionAdvice()
  if (file.startsWith('/run/credentials/')) return adviceForCredential(file)
  return `make it with: (umask 077; openssl rand -hex 32 > ${file})`
}
