import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The folder that the unit loads as `secrets` (`LoadCredential=secrets:/etc/portaria/secrets`): each file becomes a credential `secrets_NAME`. */
const LOADED_FOLDER = '/etc/portaria/secrets'

interface Unit {
  readonly loadedFolder?: string
  /** Whether systemd started this process as the unit, so that its credentials would be here. */
  readonly isOwn?: boolean
}

/** Why the file of a systemd credential does not exist, and what to do: a restart, unless the unit or the folder of secrets lacks it. */
export function adviceForCredential(file: string, { loadedFolder = LOADED_FOLDER, isOwn = false }: Unit = {}): string {
  const loaded = namesIn(dirname(file))
  if (loaded === null && !isOwn)
    return 'systemd loads credentials when portaria.service starts, and has loaded none: systemctl restart portaria'
  const [, name] = /^secrets_(.+)$/.exec(basename(file)) ?? []
  if (name === undefined) return addToUnit(`${basename(file)}:FILE`)
  if (!loaded?.some((one) => one.startsWith('secrets_'))) return addToUnit(`secrets:${loadedFolder}`)
  const source = join(loadedFolder, name)
  const isThere = existence(source)
  if (isThere === false) return `no secret has this name: create ${source}, then systemctl restart portaria`
  const when = isThere
    ? 'was created after the service started'
    : 'does not exist, or was created after the service started'
  return `${source} ${when}: systemctl restart portaria loads it`
}

function addToUnit(credential: string): string {
  return `the unit loads no credential of this name: add LoadCredential=${credential} to it, then systemctl restart portaria`
}

/** Null: there is no such folder. A folder that this user may not list counts as one with secrets. */
function namesIn(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder)
  } catch (error) {
    return isAbsent(error) ? null : ['secrets_']
  }
}

/** Null: this user may not see whether the file exists. */
function existence(file: string): boolean | null {
  try {
    statSync(file)
    return true
  } catch (error) {
    return isAbsent(error) ? false : null
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
