import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ABOVE = resolve(import.meta.dirname, '../..')
const IN_THE_GATEWAY = join(ABOVE, 'simulator')
/** Folder of this package: two levels above this file in a clone, and above the bundled code. A package of the gateway has it as a folder of its own. */
const FOLDER = existsSync(IN_THE_GATEWAY) ? IN_THE_GATEWAY : ABOVE

/** @param path within the package, as `docs/service-errors.md` */
export function packageFile(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8')
}
