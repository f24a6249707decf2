import { Command } from 'commander'
import { VERSION } from '../platform/version.ts'
import { print, printLine } from './output.ts'
import { readBuild } from './program/build.ts'

export function versionCommand(): Command {
  return new Command('version')
    .option('--verbose', 'also the commit, how it was installed, and the versions of Node.js, SQLite and OpenSSL')
    .option('--json', 'print all of this as one JSON object')
    .action(async (options: { verbose?: boolean; json?: boolean }) => {
      const all = options.verbose || options.json
      const versions = { version: VERSION, ...(all && { ...readBuild(), ...(await versionsOfParts()) }) }
      const lines = Object.entries(versions).map(([name, value]) => `${name.padEnd(11)}${value ?? 'unknown'}\n`)
      await (options.json ? printLine(versions) : print(options.verbose ? lines.join('') : `${VERSION}\n`))
    })
}

async function versionsOfParts() {
  const { default: Database } = await import('better-sqlite3')
  const db = new Database(':memory:')
  const sqlite = db.prepare<[], { v: string }>('select sqlite_version() as v').get()?.v ?? null
  db.close()
  return { node: process.versions.node, sqlite, openssl: process.versions.openssl }
}
