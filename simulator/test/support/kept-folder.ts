import { dirname } from 'node:path'
import { inject } from 'vitest'

/** For what takes long to make, is equal for all tests, and is made by the first one that needs it. Kept for one run of vitest, in all of its workers. */
export function keptFolder(): string {
  return dirname(inject('testCa'))
}
