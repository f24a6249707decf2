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
  const { database } = config.storage
  const secrets = secretFilesOf(config)
  const trusted = [...trustedFilesOf(config), ...trustedServiceFilesOf(config)]
  const each = (named: readonly NamedFile[], findingOf: typeof secretFinding) =>
    named.flatMap((one) => {
      const status = statusOf(one.file)
      return status === undefined ? [] : findingOf(one, status, user)
    })
  return [
    configurationFileFinding(config),
    ...each(secrets, secretFinding),
    ...each(trusted, trustedFinding),
    ...folderFindings([config.file, ...[...secrets, ...trusted].map(({ file }) => file)]),
    ...operatorTokenFindings(config),
    ...('file' in database ? databaseFindings(database.file) : []),
  ]
}

/** The user of the gateway: the owner of its database, with PostgreSQL of its folder, or without them the current user. */
function gatewayUserOf({ storage, node }: Config): number {
  const { database } = storage
  const status =
    'file' in database ? (statusOf(database.file) ?? statusOf(dirname(database.file))) : statusOf(node.folder)
  return status?.uid ?? process.geteuid?.() ?? 0
}

function configurationFileFinding({ file }: Config): Finding {
  const status = statSync(file)
  const what = 'configuration file'
  const shown = shownOf(file, status)
  if (hasInlineSecrets(file) && (status.mode & TOO_OPEN_FOR_SECRETS) !== 0)
    return problem(
      'file.mode',
      what,
      `${shown} and holds secrets`,
      `chmod 0640 ${file}, or move them to files (secretFile, webhookFile, heartbeatFile)`,
    )
  if ((status.mode & WRITABLE_BY_OTHERS) !== 0)
    return problem('file.writable', what, `${shown}: every user may change it`, `chmod 0640 ${file}`)
  return good(what, shown)
}

function secretFinding({ name, file }: NamedFile, status: Stats, user: number): Finding {
  const shown = shownOf(file, status)
  const newMode = `chmod 0600 ${file}; make a new one if it was seen`
  if ((status.mode & TOO_OPEN_FOR_SECRETS) !== 0)
    return problem('file.mode', name, `${shown}: others may read or change it`, newMode)
  const unreadable = `${shown} and belongs to another user: the gateway may not read it`
  const giveTo = `chown ${user} ${file}, or chgrp it to that user's group with chmod 0640`
  if (!isReadable(file, status, user)) return problem('file.unreadable', name, unreadable, giveTo)
  if (status.uid !== user && status.uid !== 0)
    return warning('file.owner', name, `${shown} and belongs to user ${status.uid}`, giveTo)
  return good(name, shown)
}

function trustedFinding({ name, file }: NamedFile, status: Stats, user: number): Finding {
  const shown = shownOf(file, status)
  const newMode = `chmod 0644 ${file}`
  if ((status.mode & WRITABLE_BY_OTHERS) !== 0)
    return problem('file.writable', name, `${shown}: every user may change it`, `${newMode}, and check what it holds`)
  if (!isReadable(file, status, user))
    return problem('file.unreadable', name, `${shown}: the gateway may not read it`, newMode)
  return good(name, shown)
}

/** A user who may write to a folder may replace every file in it. */
function folderFindings(files: readonly string[]): Finding[] {
  return [...new Set(files.map((file) => dirname(file)))].flatMap((folder) => {
    const status = statusOf(folder)
    if (status === undefined || (status.mode & WRITABLE_BY_OTHERS) === 0 || (status.mode & STICKY) !== 0) return []
    const found = `${shownOf(folder, status)}: every user may replace the files in it`
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

function databaseFindings(file: string): Finding[] {
  const folder = dirname(file)
  const status = statusOf(folder)
  if (status === undefined) return [missingFolderFinding(folder)]
  return [
    folderFinding(folder, status),
    ...['', '-wal', '-shm'].flatMap((end) => databaseFileFindings(realFileOf(file) + end)),
  ]
}

function missingFolderFinding(folder: string): Finding {
  let above = dirname(folder)
  while (!existsSync(above)) above = dirname(above)
  const found = `${folder} does not exist yet`
  if (isAccessible(above, constants.W_OK | constants.X_OK))
    return good('database folder', `${found}: it is created at start, with mode 0700`)
  const nextStep = `install -d -m 0700 -o USER ${folder}, with the gateway's user as USER`
  return problem('database.folder', 'database folder', `${found}, and this user may not write to ${above}`, nextStep)
}

function folderFinding(folder: string, status: Stats): Finding {
  const shown = shownOf(folder, status)
  if ((status.mode & 0o007) !== 0)
    return problem('database.mode', 'database folder', `${shown}: every user may read it`, `chmod 0700 ${folder}`)
  if ((status.mode & 0o070) !== 0)
    return warning('database.mode', 'database folder', `${shown}: its group may read it`, `chmod 0700 ${folder}`)
  return good('database folder', shown)
}

function databaseFileFindings(file: string): Finding[] {
  const status = statusOf(file)
  if (status === undefined || (status.mode & 0o077) === 0) return []
  const found = `${shownOf(file, status)}: others may read what was received`
  return [problem('database.mode', 'database', found, `chmod 0600 ${file}`)]
}

/** Assumes that the gateway's user is in the group. Permissions of the folders above are not checked: only that user can see them. */
function isReadable(file: string, { uid, mode }: Stats, user: number): boolean {
  if (user === process.geteuid?.()) return isAccessible(file, constants.R_OK)
  return user === 0 || (uid === user ? (mode & 0o400) !== 0 : (mode & 0o044) !== 0)
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // The folder may not be entered: the findings that need the file report it.
    return undefined
  }
}

function shownOf(path: string, { mode }: Stats): string {
  return `${path} has mode 0${(mode & 0o777).toString(8).padStart(3, '0')}`
}
