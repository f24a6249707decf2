import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Folder of this package: two levels above this file in a clone. A bundle's code is two levels below the root, which has the package's files at the same paths. */
const FOLDER = import.meta.filename.endsWith('.js')
  ? resolve(import.meta.dirname, '../../simulator')
  : resolve(import.meta.dirname, '../..')

/** @param path within the package, as `docs/service-errors.md` */
export function packageFile(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8')
}
