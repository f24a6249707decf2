import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { partsInto } from '../../src/messages/translator.ts'
import { messageOf } from '../../src/platform/errors.ts'
import { checkDatabaseFile, refuseNetworkFileSystem } from '../../src/store/sqlite/database/database-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const make: Record<string, (file: string) => void> = {
  'is a folder': (file) => mkdirSync(file),
  'is no database': (file) => writeFileSync(file, 'text'.repeat(100)),
  'is of another program': (file) => new Database(file).exec('pragma application_id = 7; create table t (x)').close(),
  'is a link without its target': (file) => symlinkSync(join(file, '../none'), file),
  'has two names': (file) => {
    writeFileSync(file, '')
    linkSync(file, `${file}.copy`)
  },
  'is away, and its log is not': (file) => writeFileSync(`${file}-wal`, 'log'),
  'is empty, and its log is not': (file) => {
    writeFileSync(file, '')
    writeFileSync(`${file}-wal`, 'log')
  },
  'is cut off': (file) => {
    new Database(file).exec('create table t (x)').close()
    truncateSync(file, 4096)
  },
}

it.each(Object.keys(make))('a database that %s is refused in Portuguese', (what) => {
  const file = join(temporaryFolder(), 'portaria.db')
  make[what]?.(file)
  expect(portuguese(() => checkDatabaseFile(file, null))).toEqual([])
})

it('so is one on a network file system', () => {
  const mounts = [{ point: '/', type: 'nfs4' }]
  expect(portuguese(() => refuseNetworkFileSystem('/data/portaria.db', mounts))).toEqual([])
})

/** The words of the refusal that stay English. */
function portuguese(refuse: () => void): string[] {
  try {
    refuse()
  } catch (error) {
    return partsInto('pt', messageOf(error)).flatMap(({ kind, text }) => (kind === 'foreign' ? text : []))
  }
  throw new Error('it was not refused')
}
