import { dirname, join } from 'node:path'
import { realFileOf } from '../platform/real-file.ts'
import type { Config } from './config.ts'

/** The control socket is beside the SQLite database, with links resolved, so that every command finds the same socket; with PostgreSQL in `node.folder`. */
export function controlSocketOf({ storage: { database }, node }: Config): string {
  return join('file' in database ? dirname(realFileOf(database.file)) : node.folder, 'control.sock')
}
