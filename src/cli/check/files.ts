import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { adviceFor, operatorToken } from '../../api/auth/operator-token.ts'
import type { Config } from '../../config/config.ts'
import { isMissingCredential } from '../../config/place.ts'
import { messageOf } from '../../platform/errors.ts'
import { realFileOf } from '../../platform/real-file.ts'
import {
  hasInlineSecrets,
  type NamedFile,
  secretFilesOf,
  trustedFilesOf,
  trustedServiceFilesOf,
} from './configured-files.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('files')

/** Bits beyond 0640: the group may read, others may do nothing. */
const TOO_OPEN_FOR_SECRETS = 0o037
const WRITABLE_BY_OTHERS = 0o002
const STICKY = 0o1000

/** Missing files are reported by the findings that need them. */
export function checkFiles(config: Config): Finding[] {
  const user = gatewayUserOf(config)
  return [
    ...configurationFileFindings(config),
    ...secretFilesOf(config).flatMap((named) => secretFindings(named, user)),
    ...[...trustedFilesOf(config), ...trustedServiceFilesOf(config)].flatMap((named) => trustedFindings(named, user)),
    ...folderFindings(config),
    ...operatorTokenFindings(config),
    ...databaseFindings(config),
  ]
}

/** The user of the gateway: the owner of its database, or without a database the current user. */
function gatewayUserOf({ storage }: Config): number {
  const status = statusOf(storage.file) ?? statusOf(dirname(storage.file))
  return status?.uid ?? process.geteuid?.() ?? 0
}

function configurationFileFindings({ file }: Config): Finding[] {
  const status = statSync(file)
  const shown = `${file} has mode ${modeOf(status)}`
  if (hasInlineSecrets(file) && (status.mode & TOO_OPEN_FOR_SECRETS) !== 0)
    return [
      problem('file.mode', 'configuration file', `${shown} and holds secrets`, `chmod 0640 ${file}, or use secretFile`),
    ]
  if ((status.mode & WRITABLE_BY_OTHERS) !== 0)
    return [problem('file.writable', 'configuration file', `${shown}: every user may change it`, `chmod 0640 ${file}`)]
  return [good('configuration file', shown)]
}

function secretFindings({ name, file }: NamedFile, user: number): Finding[] {
  const status = statusOf(file)
  if (status === undefined) return []
  const shown = `${file} has mode ${modeOf(status)}`
  if ((status.mode & TOO_OPEN_FOR_SECRETS) !== 0)
    return [
      problem(
        'file.mode',
        name,
        `${shown}: others may read or change it`,
        `chmod 0600 ${file}; make a new one if it was seen`,
      ),
    ]
  if (!isReadable(file, status, user))
    return [
      problem(
        'file.unreadable',
        name,
        `${shown} and belongs to another user: the gateway may not read it`,
        giveTo(user, file),
      ),
    ]
  if (status.uid !== user && status.uid !== 0)
    return [warning('file.owner', name, `${shown} and belongs to user ${status.uid}`, giveTo(user, file))]
  return [good(name, shown)]
}

function trustedFindings({ name, file }: NamedFile, user: number): Finding[] {
  const status = statusOf(file)
  if (status === undefined) return []
  const shown = `${file} has mode ${modeOf(status)}`
  if ((status.mode & WRITABLE_BY_OTHERS) !== 0)
    return [
      problem(
        'file.writable',
        name,
        `${shown}: every user may change it`,
        `chmod 0644 ${file}, and check what it holds`,
      ),
    ]
  if (!isReadable(file, status, user))
    return [problem('file.unreadable', name, `${shown}: the gateway may not read it`, `chmod 0644 ${file}`)]
  return [good(name, shown)]
}

/** A user who may write to a folder may replace every file in it. */
function folderFindings(config: Config): Finding[] {
  const named = [...secretFilesOf(config), ...trustedFilesOf(config), ...trustedServiceFilesOf(config)]
  const files = [config.file, ...named.map(({ file }) => file)]
  return [...new Set(files.map((file) => dirname(file)))].flatMap((folder) => {
    const status = statusOf(folder)
    if (status === undefined || (status.mode & WRITABLE_BY_OTHERS) === 0 || (status.mode & STICKY) !== 0) return []
    const found = `${folder} has mode ${modeOf(status)}: every user may replace the files in it`
    return problem('folder.writable', 'folder', found, `chmod 0750 ${folder}`)
  })
}

function operatorTokenFindings({ api, mode }: Config): Finding[] {
  const { operatorTokenFile: file } = api
  if (file === null || isMissingCredential(file) || (mode === 'development' && !existsSync(file))) return []
  try {
    operatorToken(file, false)
    return []
  } catch (error) {
    const nextStep = adviceFor(file, error instanceof Error ? error.cause : undefined)
    return [problem('operator_token.unusable', 'api.operatorTokenFile', messageOf(error), nextStep)]
  }
}

function databaseFindings({ storage }: Config): Finding[] {
  const folder = dirname(storage.file)
  const status = statusOf(folder)
  if (status === undefined) return [missingFolderFinding(folder)]
  return [
    folderFinding(folder, status),
    ...['', '-wal', '-shm'].flatMap((end) => databaseFileFindings(realFileOf(storage.file) + end)),
  ]
}

function missingFolderFinding(folder: string): Finding {
  let above = dirname(folder)
  while (!existsSync(above)) above = dirname(above)
  const found = `${folder} does not exist yet`
  try {
    accessSync(above, constants.W_OK | constants.X_OK)
    return good('database folder', `${found}: it is created at start, with mode 0700`)
  } catch {
    const nextStep = `install -d -m 0700 -o USER ${folder}, with the gateway's user as USER`
    return problem('database.folder', 'database folder', `${found}, and this user may not write to ${above}`, nextStep)
  }
}

function folderFinding(folder: string, status: Stats): Finding {
  const shown = `${folder} has mode ${modeOf(status)}`
  if ((status.mode & 0o007) !== 0)
    return problem('database.mode', 'database folder', `${shown}: every user may read it`, `chmod 0700 ${folder}`)
  if ((status.mode & 0o070) !== 0)
    return warning('database.mode', 'database folder', `${shown}: its group may read it`, `chmod 0700 ${folder}`)
  return good('database folder', shown)
}

function databaseFileFindings(file: string): Finding[] {
  const status = statusOf(file)
  if (status === undefined || (status.mode & 0o077) === 0) return []
  const found = `${file} has mode ${modeOf(status)}: others may read what was received`
  return [problem('database.mode', 'database', found, `chmod 0600 ${file}`)]
}

/** Assumes that the gateway's user is in the group. Permissions of the folders above are not checked: only that user can see them. */
function isReadable(file: string, { uid, mode }: Stats, user: number): boolean {
  if (user === process.geteuid?.()) return isAccessible(file)
  return user === 0 || (uid === user ? (mode & 0o400) !== 0 : (mode & 0o044) !== 0)
}

function isAccessible(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function giveTo(user: number, file: string): string {
  return `chown ${user} ${file}, or chgrp it to that user's group with chmod 0640`
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // The folder may not be entered: the findings that need the file report it.
    return undefined
  }
}

function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8).padStart(3, '0')}`
}
