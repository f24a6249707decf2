import { statSync } from 'node:fs'

/** The database folder of an installation (`StateDirectory=` of the unit): its owner is the gateway's user. */
const STATE_FOLDER = '/var/lib/portaria'

/** Whether the user of this process is refused by the owner or the mode of a file. */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
}

/**
 * What to do without permission for a file of the gateway: use another user. It never recommends a wider mode, because the files hold secrets.
 * @param folder its owner is the gateway's user; null: there is no installation
 */
export function permissionAdvice(folder: string = STATE_FOLDER): string {
  const user = ownerOf(folder)
  if (user === null) return 'run this command as the user that the gateway runs as (it needs access), or as root'
  if (user !== process.geteuid?.())
    return 'run this command as the gateway does (sudo -u portaria portaria …), or as root'
  return 'its owner or mode is wrong: as root, systemd-tmpfiles --create portaria.conf restores both'
}

/** For files that the gateway itself may not change, such as its certificates. */
export const WRITE_ADVICE = 'run this command as the owner of the folder, or as root'

function ownerOf(folder: string): number | null {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.uid ?? null
  } catch {
    return null
  }
}
