import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore, openStoreReader } from '../../../src/store/open-store.ts'
import { APPLICATION_ID, refuseNetworkFileSystem } from '../../../src/store/sqlite/database/database-file.ts'
import { aCallback, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import { canMount } from '../../support/small-disk.ts'
import { storeOptions, temporaryDatabase } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function open(file: string) {
  return openStore(storeOptions({ file }))
}

/** @returns the database of a store that has stored so many callbacks and closed */
async function databaseOf(count: number, file = join(temporaryFolder(), 'data/portaria.db')): Promise<string> {
  const store = await open(file)
  for (let n = 0; n < count; n++) await store.storeCallback(aCallback({ text: randomUUID() }))
  await store.close()
  return file
}

/** As a killed process leaves it: what was committed is in the log. */
async function crashedDatabase(): Promise<string> {
  const [from, to] = [temporaryDatabase(), temporaryDatabase()]
  const store = await open(from)
  for (let n = 0; n < 3; n++) await store.storeCallback(aCallback())
  await store.close()
  const again = await open(from)
  for (let n = 0; n < 3; n++) await again.storeCallback(aCallback({ body: Buffer.alloc(50_000, String(n)) }))
  for (const end of ['', '-wal']) copyFileSync(`${from}${end}`, `${to}${end}`)
  // A log that is created after `close` has removed this one could get its inode, and would look like the log of another database.
  copyFileSync(`${from}-wal`, `${to}-log`)
  await again.close()
  copyFileSync(`${from}.position`, `${to}.position`)
  return to
}

/** By the gateway and by commands that read, in the same words; and nothing is made, changed or removed. */
async function expectRefused(file: string, words: RegExp): Promise<void> {
  const before = contentsOf(file)
  const refusal = { code: 'store_unavailable', message: expect.stringMatching(words) }
  await expect(openStoreReader(file)).rejects.toMatchObject(refusal)
  await expect(open(file)).rejects.toMatchObject(refusal)
  expect(contentsOf(file)).toEqual(before)
}

/** null: it is not there, or is an empty log, which says the same. */
function contentsOf(file: string): (string | null)[] {
  return ['', '-wal', '.position'].map((end) =>
    existsSync(`${file}${end}`) ? readFileSync(`${file}${end}`, 'latin1') || null : null,
  )
}

it('starts after a power failure that undid what is not synced: the note beside the database may know of it', async () => {
  const [from, to] = [temporaryDatabase(), temporaryDatabase()]
  const store = await open(from)
  for (let n = 0; n < 3; n++) await store.storeCallback(aCallback({ text: `{"subject":"s${n}"}` }))
  for (const end of ['', '-wal']) copyFileSync(`${from}${end}`, `${to}${end}`)
  expect(await indexAll(store)).toBe(1)
  const batch = { id: 'bat_1', expiresAt: NOON + 1000 }
  await store.leaseBatch({ owner: null, name: 'reader' }, { after: 0, end: 2, gapsReportedAt: 0 }, batch, NOON)
  await store.close()
  copyFileSync(`${from}.position`, `${to}.position`)

  const again = await open(to)
  expect(await again.latestPosition()).toBe(3)
  await again.close()
})

describe('a database is recognised by its application id', () => {
  it('which it gets when it is made, and an older one of ours when it is opened', async () => {
    const file = await databaseOf(1)
    const idOf = () => new Database(file, { readonly: true }).pragma('application_id', { simple: true })
    expect(idOf()).toBe(APPLICATION_ID)
    new Database(file).pragma('application_id = 0')
    await databaseOf(1, file)
    expect(idOf()).toBe(APPLICATION_ID)
    const cli = spawnSync('file', [file], { encoding: 'utf8' })
    if (cli.status === 0) expect(cli.stdout).toContain(`application id ${APPLICATION_ID}`)
  })

  it.each([
    [
      'another application id',
      (file: string) => new Database(file).exec('create table a (b)').pragma('application_id = 7'),
    ],
    ['tables that are not ours', (file: string) => new Database(file).exec('create table events (b)').close()],
  ])('one with %s is refused and not changed', async (_, make) => {
    const file = temporaryDatabase()
    make(file)
    await expectRefused(
      file,
      /is a database of another program, and was not changed: name another file in storage\.url/,
    )
    expect(new Database(file, { readonly: true }).pragma('journal_mode', { simple: true })).toBe('delete')
  })

  it('what is no SQLite file is refused and not changed', async () => {
    const file = temporaryDatabase()
    writeFileSync(file, 'letters of value'.repeat(100))
    await expectRefused(file, /is no SQLite database: name another file/)
  })
})

describe('a database that is less than it was is refused, and nothing is made in its place', () => {
  it.each<[string, (file: string) => void, RegExp]>([
    [
      'is gone',
      (file) => rmSync(file),
      /is not there, but the database that was here held events up to position 3 at 20/,
    ],
    [
      'is empty',
      (file) => truncateSync(file, 0),
      /is empty, but the database that was here held events up to position 3/,
    ],
    ['has lost its end', (file) => truncateSync(file, statSync(file).size - 1), /its end is cut off/],
    ['is hardly a page', (file) => truncateSync(file, 100), /its end is cut off/],
    ['is less than a header', (file) => truncateSync(file, 50), /is no SQLite database/],
  ])('where it %s', async (_, harm, words) => {
    const file = await databaseOf(3)
    harm(file)
    await expectRefused(file, words)
  })

  it('where it is an older copy, or another database', async () => {
    const file = await databaseOf(2)
    const older = `${file}.older`
    copyFileSync(file, older)
    await databaseOf(2, file)
    const newer = `${file}.newer`
    renameSync(file, newer)
    copyFileSync(older, file)
    await expectRefused(file, /ends at position 2, but the database that was here held events up to position 4/)
    copyFileSync(await databaseOf(9), file)
    await expectRefused(file, /is another database than the one that was here/)
    renameSync(newer, file)
    expect(await databaseOf(1, file)).toBe(file)
  })

  it('where the log with the last commits is missing, or is alone, or belongs to another database', async () => {
    const [withoutLog, alone, beside] = [await crashedDatabase(), await crashedDatabase(), await crashedDatabase()]
    rmSync(`${withoutLog}-wal`)
    await expect(openStoreReader(withoutLog)).rejects.toThrow(
      /ends at position 3, but .* position 6 .*portaria\.db-wal is missing/,
    )
    await expect(open(withoutLog)).rejects.toThrow(
      /ends at position 3, but .* position 6 .*portaria\.db-wal is missing/,
    )
    rmSync(alone)
    await expectRefused(alone, /is not there, but the database that was here held events up to position 6/)
    rmSync(`${alone}.position`)
    await expectRefused(alone, /is not there, but its log .*-wal is: put the database back/)
    new Database(beside, { readonly: true }).prepare('vacuum into ?').run(`${beside}.backup`)
    copyFileSync(`${beside}.backup`, beside)
    await expectRefused(beside, /was replaced beside .*-wal, the log of the database that was here before/)
  })

  it('and one that a killed process left is taken up, also where it was killed while it moved the log', async () => {
    const [crashed, moving] = [await crashedDatabase(), await crashedDatabase()]
    const db = new Database(moving)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    renameSync(`${moving}-log`, `${moving}-wal`)
    // Its last pages are new, and so in the log; the first ones are not.
    truncateSync(moving, statSync(moving).size - 8192)
    for (const file of [crashed, moving]) {
      await databaseOf(1, file)
      const reader = await openStoreReader(file)
      expect(await reader.latestPosition()).toBe(7)
      await reader.close()
    }
    truncateSync(crashed, 3 * 8192)
    await expectRefused(crashed, /its end is cut off/)
  })

  it('a note that cannot be read stops nothing but a new database', async () => {
    const file = await databaseOf(1)
    writeFileSync(`${file}.position`, '{"position": 12')
    await databaseOf(1, file)
    writeFileSync(`${file}.position`, '')
    rmSync(file)
    await expectRefused(file, /is not there, but the database that was here was in use at an unknown time/)
  })
})

describe('one database has one owner, whatever names lead to it', () => {
  it.each<[string, (file: string) => string]>([
    ['symbolic link to the file', (file) => linked(file, join(temporaryFolder(), 'other.db'))],
    [
      'symbolic link to its folder',
      (file) => join(linked(join(file, '..'), join(temporaryFolder(), 'data')), 'portaria.db'),
    ],
  ])('a second store through a %s is locked out; alone it works', async (_, nameOf) => {
    const file = await databaseOf(1)
    const other = nameOf(file)
    const store = await open(file)
    await expect(open(other)).rejects.toMatchObject({ code: 'store_locked' })
    await store.close()
    const through = await open(other)
    await expect(open(file)).rejects.toMatchObject({ code: 'store_locked' })
    await through.storeCallback(aCallback())
    await through.close()
    expect(await databaseOf(0, file)).toBe(file)
    expect(readdirSync(join(other, '..')).filter((name) => name.startsWith('other.db'))).toEqual(
      other.endsWith('other.db') ? ['other.db'] : [],
    )
  })

  it('a database with two hard links is refused through both', async () => {
    const file = await databaseOf(1)
    const other = join(temporaryFolder(), 'other.db')
    linkSync(file, other)
    for (const name of [file, other])
      await expectRefused(
        name,
        /has 2 names \(hard links\), through which two gateways could own it: find the others \(find DIRECTORY -xdev -samefile/,
      )
    rmSync(other)
    await databaseOf(1, file)
  })

  it('a folder in place of the database is named as one, and not as a file with several names', async () => {
    const [folder, refusal] = [temporaryFolder(), /is a folder: name a file in it in storage\.url/]
    await expect(openStoreReader(folder)).rejects.toThrow(refusal)
    await expect(open(folder)).rejects.toThrow(refusal)
    expect(readdirSync(folder)).toEqual([])
  })

  it('the second name that an interrupted restore left is reported as such', async () => {
    const file = await databaseOf(1)
    const aside = `${file}.before-restore-2026-01-15T120000000Z`
    linkSync(file, aside)
    await expectRefused(
      file,
      /a restore was broken off .*: restore again .*, or go on with the database as it was: rm .*before-restore/,
    )
    rmSync(aside)
    await databaseOf(1, file)
  })

  it('a symbolic link that leads nowhere makes no database', async () => {
    const folder = temporaryFolder()
    const file = linked(join(folder, 'not-mounted/portaria.db'), join(folder, 'portaria.db'))
    await expect(open(file)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/is a symbolic link to .*, which is not there: is its disk mounted\?/),
    })
    expect(readdirSync(folder)).toEqual(['portaria.db'])
  })

  it.skipIf(!canMount)('a single file that is mounted is refused, a folder is not (with mount, as root)', async () => {
    const file = await databaseOf(1)
    const folder = temporaryFolder()
    const [single, whole] = [join(folder, 'single file.db'), join(folder, 'whole')]
    writeFileSync(single, '')
    mkdirSync(whole)
    for (const [from, to] of [
      [file, single],
      [join(file, '..'), whole],
    ] as const) {
      expect(spawnSync('mount', ['--bind', from, to]).status).toBe(0)
      onTestFinished(() => void spawnSync('umount', ['--lazy', to]))
    }
    await expectRefused(single, /single file\.db is mounted as a single file: .*: mount the folder of the database/)
    const store = await open(join(whole, 'portaria.db'))
    await expect(open(file)).rejects.toMatchObject({ code: 'store_locked' })
    await store.close()
  })

  it.each([
    ['/data/portaria.db', null],
    ['/data/nfs/portaria.db', 'nfs4'],
    ['/data/nfs/not yet/there/portaria.db', 'nfs4'],
    ['/data/nfs-beside/portaria.db', null],
    ['/data/nfs/local/portaria.db', null],
    ['/mnt/my share/portaria.db', 'cifs'],
    ['/portaria.db', null],
  ])('%s is on a network file system: %s', (file, type) => {
    const mounts = [
      { point: '/', type: 'ext4' },
      { point: '/data/nfs', type: 'nfs4' },
      { point: '/data/nfs/local', type: 'cifs' },
      { point: '/data/nfs/local', type: 'ext4' },
      { point: '/mnt/my share', type: 'cifs' },
    ]
    const words = `is on a network file system (${type}), where SQLite can lose what it has stored: name a folder on`
    if (type === null) expect(() => refuseNetworkFileSystem(file, mounts)).not.toThrow()
    else expect(() => refuseNetworkFileSystem(file, mounts)).toThrow(words)
  })

  // The system calls it sshfs, and no program serves it.
  it.skipIf(!canMount)(
    'a folder of a network file system is refused before anything in it is touched (with mount, as root)',
    async () => {
      const folder = join(temporaryFolder(), 'a share')
      mkdirSync(folder)
      const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
      const script = `mount --internal-only -t fuse.sshfs -o ${options} host:/share "$0" 3<>/dev/fuse`
      expect(spawnSync('sh', ['-c', script, folder], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
      onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
      await expect(open(join(folder, 'portaria.db'))).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(
          /a share is on a network file system \(fuse\.sshfs\), .*: name a folder on a local disk/,
        ),
      })
    },
  )

  it('a second store of the same process, refused, leaves the first one’s locks alone', async () => {
    const file = temporaryDatabase()
    const store = await open(file)
    await expect(open(file)).rejects.toMatchObject({ code: 'store_locked' })
    const elsewhere = await inOtherProcess(file)
    expect(elsewhere).toContain('another portaria process owns')
    await store.close()
  })
})

function linked(target: string, link: string): string {
  symlinkSync(target, link)
  return link
}

/** What opening it says in a process of its own. */
function inOtherProcess(file: string): Promise<string> {
  const url = new URL('../../../src/store/sqlite/database/lock.ts', import.meta.url)
  const code = `import { lockDatabase } from ${JSON.stringify(url.href)}; lockDatabase(${JSON.stringify(file)}, 0); console.error('free')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return new Promise((resolve) => child.once('close', () => resolve(said)))
}
