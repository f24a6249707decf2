import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openStore, openStoreReader } from '../../../src/store/open-store.ts'
import { aCallback } from '../../support/builders.ts'
import { storeOptions } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const root = mkdtempSync(join(tmpdir(), 'portaria-files-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Owned {
  readonly folder: string
  readonly file: string
  readonly store: Store
  readonly lost: Promise<Error>
  isLost(): boolean
}

async function own(folder: string, walBytes?: number): Promise<Owned> {
  const file = join(folder, 'portaria.db')
  const { promise: lost, resolve } = Promise.withResolvers<Error>()
  let isLost = false
  const store = await openStore({
    ...storeOptions({ file }),
    ...(walBytes !== undefined && { walBytes }),
    onLost(error) {
      isLost = true
      resolve(error)
    },
  })
  return { folder, file, store, lost, isLost: () => isLost }
}

function ownNew(walBytes?: number): Promise<Owned> {
  return own(join(mkdtempSync(join(root, 'case-')), 'data'), walBytes)
}

let last = 0
function storeOne({ store }: Owned, bytes = 20): Promise<unknown> {
  return store.storeCallback(aCallback({ body: Buffer.alloc(bytes, `{"n":${++last}}`) }))
}

/** Callbacks one after the other until the store accepts none. @returns how many were acknowledged */
async function storeUntilLost(owned: Owned): Promise<number> {
  for (let count = 0; ; count++) {
    const isStored = await storeOne(owned).then(
      () => true,
      () => false,
    )
    if (!isStored) return count
    await wait(20)
  }
}

interface Case {
  readonly name: string
  /** Done to the files while callbacks are stored. */
  readonly harm: (owned: Owned) => void
  /** The one line that the operator reads. */
  readonly says: RegExp
  /** Why the next start refuses; null: it does not. */
  readonly refuses: RegExp | null
  /** What an operator does about it. */
  readonly mend?: (owned: Owned) => void
}

const run = (command: string) => {
  if (spawnSync('sh', ['-c', command]).status !== 0) throw new Error(command)
}
const rescuedIn = (folder: string) =>
  join(folder, readdirSync(folder).find((name) => name.includes('.rescued-')) as string)
const putRescuedBack = ({ folder, file }: Owned) => {
  rmSync(`${file}.position`)
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  renameSync(rescuedIn(folder), file)
}

const HARMLESS_IN_THE_END: Case[] = [
  {
    name: 'the database is unlinked',
    harm: ({ file }) => run(`rm ${file}`),
    says: /portaria\.db was removed or renamed by another program; all that it held is saved as .*\.rescued-/,
    refuses: /is not there, but the database that was here held events up to position \d+ .*restore .*\.rescued-/,
    mend: putRescuedBack,
  },
  {
    name: 'the database and its log are unlinked',
    harm: ({ file }) => run(`rm ${file} ${file}-wal ${file}-shm`),
    says: /saved as .*\.rescued-/,
    refuses: /is not there, but the database that was here held events up to position/,
    mend: putRescuedBack,
  },
  {
    name: 'everything in the folder is removed',
    // Where the store has begun to save its content there, rm fails to remove the folder itself.
    harm: ({ folder }) => run(`rm -rf ${folder} || true`),
    says: /saved as .*\.rescued-/,
    refuses: /is not there, but the database that was here held events up to position/,
    mend: putRescuedBack,
  },
  {
    name: 'the log is unlinked',
    harm: ({ file }) => run(`rm ${file}-wal`),
    says: /portaria\.db-wal was removed or renamed by another program; all that was received is in the database itself/,
    refuses: null,
  },
  {
    name: 'the shared memory is unlinked',
    harm: ({ file }) => run(`rm ${file}-shm`),
    says: /portaria\.db-shm was removed or renamed/,
    refuses: null,
  },
  {
    name: 'the lock is unlinked',
    harm: ({ file }) => run(`rm ${file}.lock`),
    says: /portaria\.db\.lock was removed or renamed by another program: put back what is not there/,
    refuses: null,
  },
  {
    name: 'the database is renamed',
    harm: ({ file }) => run(`mv ${file} ${file}.moved`),
    says: /portaria\.db was removed or renamed by another program; all that was received is in the database itself/,
    refuses: /is not there, but the database that was here held events up to position/,
    mend: ({ file }) => renameSync(`${file}.moved`, file),
  },
  {
    name: 'the whole folder is moved',
    harm: ({ folder }) => run(`mv ${folder} ${folder}.moved`),
    says: /portaria\.db was removed or renamed/,
    refuses: /is not there, but the database that was here held events up to position/,
    mend({ folder }) {
      rmSync(folder, { recursive: true })
      renameSync(`${folder}.moved`, folder)
    },
  },
  {
    name: 'another database is renamed over it',
    harm: ({ file }) => {
      new Database(`${file}.new`).exec('create table other (a)').close()
      linkSync(file, `${file}.moved`)
      // In one step: the writer must not see the moment without a database, which it reports in other words.
      renameSync(`${file}.new`, file)
    },
    says: /portaria\.db was replaced by another file/,
    refuses: /was replaced beside .*-wal|is a database of another program/,
    mend: ({ file }) => renameSync(`${file}.moved`, file),
  },
]

const DAMAGE: Omit<Case, 'mend'>[] = [
  {
    name: 'the database is cut off to nothing',
    harm: ({ file }) => run(`truncate -s 0 ${file}`),
    says: /portaria\.db was (cut off from \d+ to \d+ bytes|overwritten) by another program: restore a backup/,
    refuses: /portaria\.db (is empty|has \d+ bytes of|may be damaged|is no SQLite)/,
  },
  {
    name: 'the end of the database is cut off',
    harm: ({ file }) => run(`truncate -s ${statSync(file).size - 8192} ${file}`),
    says: /portaria\.db was cut off from \d+ to \d+ bytes by another program: restore a backup/,
    refuses: /has \d+ bytes of \d+: its end is cut off/,
  },
  {
    name: 'another database is copied over it',
    harm({ file }) {
      const other = `${file}.other`
      const db = new Database(file, { readonly: true })
      db.prepare('vacuum into ?').run(other)
      db.close()
      const copy = new Database(other)
      copy.exec('create table filler (a); insert into filler values (zeroblob(1000000))')
      copy.close()
      copyFileSync(other, file)
    },
    says: /portaria\.db was (overwritten|cut off)/,
    refuses: /was replaced beside .*-wal|may be damaged/,
  },
  {
    name: 'the log is cut off to nothing',
    harm: ({ file }) => truncateSync(`${file}-wal`, 0),
    says: /portaria\.db-wal was cut off or overwritten by another program: restore a backup/,
    refuses: /may be damaged: .*-wal was cut off or overwritten, while the gateway ran/,
  },
  {
    name: 'half of the log is cut off',
    harm: ({ file }) => truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size / 2)),
    says: /portaria\.db-wal was cut off or overwritten/,
    refuses: /may be damaged: .*-wal was cut off or overwritten, while the gateway ran/,
  },
]

async function harmUnderLoad({ harm, says, refuses }: Omit<Case, 'mend'>) {
  const owned = await ownNew()
  for (let n = 0; n < 5; n++) await storeOne(owned)
  const storing = storeUntilLost(owned)
  harm(owned)
  const error = await owned.lost
  const acknowledged = 5 + (await storing)
  expect(error.message).toMatch(says)
  await expect(storeOne(owned)).rejects.toMatchObject({ code: 'store_unavailable' })
  await owned.store.close()
  const refused = refuses === null ? null : expect.objectContaining({ message: expect.stringMatching(refuses) })
  const restarted = await own(owned.folder).then(
    ({ store }) => store.close().then(() => null),
    (reason: unknown) => reason,
  )
  expect(restarted).toEqual(refused)
  if (refuses !== null) await expect(openStoreReader(owned.file)).rejects.toThrow(refuses)
  return { owned, acknowledged }
}

describe('files changed under an open store: it accepts nothing more, says what happened, and makes no new database', () => {
  it.concurrent.each(HARMLESS_IN_THE_END)(
    '$name: nothing that was acknowledged is lost',
    async ({ mend, ...harmed }) => {
      const { owned, acknowledged } = await harmUnderLoad(harmed)
      mend?.(owned)
      const after = await own(owned.folder)
      expect(await after.store.latestPosition()).toBeGreaterThanOrEqual(acknowledged)
      await after.store.close()
    },
  )

  it.concurrent.each(DAMAGE)('$name: the next start refuses', async (harmed) => {
    await harmUnderLoad(harmed)
  })

  it.concurrent('with no one calling, too, and at the latest when it closes', async () => {
    const [idle, closing] = [await ownNew(), await ownNew()]
    await storeOne(idle)
    await storeOne(closing)
    rmSync(closing.file)
    await closing.store.close()
    expect(closing.isLost()).toBe(true)
    rmSync(idle.file)
    expect((await idle.lost).message).toContain('was removed or renamed')
    await idle.store.close()
    for (const { folder } of [idle, closing])
      await expect(own(folder)).rejects.toThrow('held events up to position 1 at')
  })
})

describe('what an open store, its readers and its operators do themselves', () => {
  it.concurrent('is no difference: a small log that starts again, shrinks and is emptied; backups, readers, a second name', async () => {
    const owned = await ownNew(256 * 1024)
    const end = performance.now() + 3500
    for (let round = 0; performance.now() < end; round++) {
      await Promise.all(Array.from({ length: 20 }, () => storeOne(owned, 20_000)))
      if (round % 10 === 3) await owned.store.checkpointWal?.()
      if (round % 10 === 5) await (await openStoreReader(owned.file)).close()
      if (round === 8) new Database(owned.file, { readonly: true }).prepare('vacuum into ?').run(`${owned.file}.backup`)
      if (round === 9) run(`ln ${owned.file} ${owned.file}.second; rm ${owned.file}.second`)
    }
    expect(owned.isLost()).toBe(false)
    const position = await owned.store.latestPosition()
    await owned.store.close()
    const again = await own(owned.folder)
    expect(await again.store.latestPosition()).toBe(position)
    await again.store.close()
  })

  it.concurrent('a folder that may not be entered any more is none either', async () => {
    const owned = await ownNew()
    await storeOne(owned)
    run(`chmod 000 ${owned.folder}`)
    await wait(1200)
    await storeOne(owned)
    run(`chmod 700 ${owned.folder}`)
    expect(owned.isLost()).toBe(false)
    await owned.store.close()
  })
})

it('what is known last is never ahead of the database: a copy of both, taken at any moment, starts', async () => {
  const owned = await ownNew()
  const storing = (async () => {
    for (let n = 0; n < 300; n++) await storeOne(owned)
  })()
  const copies: string[] = []
  for (let n = 0; n < 5; n++) {
    await until(() => existsSync(`${owned.file}.position`))
    const folder = mkdtempSync(join(root, 'copy-'))
    // First what must not be ahead.
    for (const end of ['.position', '', '-wal']) copyFileSync(`${owned.file}${end}`, join(folder, `portaria.db${end}`))
    copies.push(folder)
    await wait(200)
  }
  await storing
  await owned.store.close()
  for (const folder of copies) await (await own(folder)).store.close()
})
