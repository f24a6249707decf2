import { statSync } from 'node:fs'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { permissionAdvice } from '../../platform/permission.ts'
import { say } from '../../platform/said.ts'

/** @throws PortariaError `request_invalid` if it is not a regular file: SQLite would wait forever for a pipe; `store_unavailable` */
export function isFileAt(path: string): boolean {
  const found = statOf(path)
  if (found === undefined) return false
  if (found.isFile()) return true
  throw new PortariaError('request_invalid', say`${{ path }} is not a regular file: name another`)
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    const words = `${path} cannot be inspected: ${systemWords(error)}; ${permissionAdvice()}, or name another file`
    throw new PortariaError('store_unavailable', words, { cause: error })
  }
}

/** The device of a path; null if it cannot be inspected, which is reported when it is opened. */
export function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev
  } catch {
    return null
  }
}
