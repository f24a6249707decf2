import { statSync } from 'node:fs'
import { messageOf, PortariaError } from '../../platform/errors.ts'

/** @throws PortariaError `request_invalid` for what is no file: SQLite would wait for ever at a pipe; `store_unavailable` */
export function isFileAt(path: string): boolean {
  const found = look(path)
  if (found === undefined) return false
  if (found.isFile()) return true
  throw new PortariaError('request_invalid', `${path} is no ordinary file: name another`)
}

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    const words = `${path} cannot be looked at: ${messageOf(error)}; run this command as a user who may, or name another file`
    throw new PortariaError('store_unavailable', words, { cause: error })
  }
}

/** The disk that a path is on; null: it cannot be looked at, which whoever opens it will say. */
export function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev
  } catch {
    return null
  }
}
