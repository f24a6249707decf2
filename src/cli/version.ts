import { Command } from 'commander'
import { VERSION } from '../platform/version.ts'
import { printResult } from './output.ts'

export function versionCommand(): Command {
  return new Command('version')
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) => {
      const { default: Database } = await import('better-sqlite3')
      const db = new Database(':memory:')
      const sqlite = db.prepare<[], { v: string }>('select sqlite_version() as v').get()?.v ?? 'unknown'
      db.close()
      const versions = { portaria: VERSION, node: process.versions.node, openssl: process.versions.openssl, sqlite }
      const lines = Object.entries(versions).map(([name, version]) => `${name.padEnd(10)}${version}\n`)
      await printResult(options, versions, lines.join(''))
    })
}
