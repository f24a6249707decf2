import { dirname, join } from 'node:path'
import { realFileOf } from '../platform/real-file.ts'
import type { Config } from './config.ts'

/** The control socket is beside the database, with links resolved, so that every command finds the same socket. */
export function controlSocketOf(config: Config): string {
  return join(dirname(realFileOf(config.storage.file)), 'control.sock')
}
