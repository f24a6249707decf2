import { dirname, join } from 'node:path'
import type { Config } from './config.ts'

/** The control socket stands beside the database. */
export function controlSocketOf(config: Config): string {
  return join(dirname(config.storage.file), 'control.sock')
}
