import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { copyDatabase } from '../../../src/cli/storage/copy.ts'
import { parseEventId } from '../../../src/domain/public-id.ts'
import type { Store } from '../../../src/domain/store.ts'
import { writeBackup } from '../../../src/store/sqlite/maintenance/backup.ts'
import { prepareRestored, replaceDatabase } from '../../../src/store/sqlite/maintenance/replace.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import { aDestination, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { canMount, mountSmall } from '../../support/small-disk.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const QUIET = { leaveBytes: 0, isQuiet: true }

async function aStore(file = temporaryDatabase()) {
  return { file, store: await openTestStore({ file }) }
}

let last = 0
/** @returns the position of its event */
async function storeOne(store: Store): Promise<number> {
  const padding = 'x'.repeat(2000)
  const text = `{"identificador":"s${++last}","padding":"${padding}"}`
  const { eventIds } = await store.storeCallback(anInterpretedCallback(text))
  return parseEventId(eventIds[0] ?? '')?.position ?? 0
}

function copySync(file: string, target: string): void {
  writeFileSync(target, '')
  writeBackup({ file, target, leaveBytes: 0 }, () => undefined)
}

function positionsOf(file: string): number[] {
  const db = new Database(file, { readonly: true })
  const positions = db.prepare<[], number>('select id from events order by id').pluck().all()
  db.close()
  return positions
}

it('a backup that is taken under load is sound, and holds every event that was acknowledged before it began', async () => {
  const { file, store } = await aStore()
  await store.createDestination(aDestination(), NOON)
  const acknowledged: number[] = []
  let isEnded = false
  async function load(): Promise<void> {
    while (!isEnded) {
      acknowledged.push(await storeOne(store))
      await turn()
    }
  }
  const loads = Array.from({ length: 20 }, load)
  while (acknowledged.length < 2000) await turn()
  const before = [...acknowledged]
  const target = join(temporaryFolder(), 'backup.db')
  const { counts } = await copyDatabase({ file, target, ...QUIET })
  const during = acknowledged.length - before.length
  isEnded = true
  await Promise.all(loads)
  expect(during).toBeGreaterThan(0)
  expect(verifyDatabase(target, () => undefined).problems).toEqual([])
  const held = new Set(positionsOf(target))
  expect(before.filter((position) => !held.has(position))).toEqual([])
  expect(counts.events).toBe(held.size)
  expect(counts.deliveries).toBe(held.size)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(target))).toEqual(['backup.db'])
})

it('what was removed is not in a backup, not even as free pages', async () => {
  const { file, store } = await aStore()
  await store.storeCallback(anInterpretedCallback(`{"identificador":"gone","secret":"${'leaked'.repeat(9000)}"}`))
  await storeOne(store)
  const db = new Database(file)
  db.pragma('secure_delete = off')
  db.exec(`update callbacks set body = x'7b7d' where id = 1`)
  db.close()
  const target = join(temporaryFolder(), 'backup.db')
  copySync(file, target)
  expect(readFileSync(target).includes('leakedleaked')).toBe(false)
  expect(positionsOf(target)).toEqual([1, 2])
})

it('nothing is left behind where the space is too little, and the space that must stay free is not used', async () => {
  const { file } = await aStore()
  const target = join(temporaryFolder(), 'backup.db')
  const copying = copyDatabase({ file, target, isQuiet: true, leaveBytes: Number.MAX_SAFE_INTEGER })
  await expect(copying).rejects.toThrow(
    /there is too little space in .* are the gateway's reserve .* nothing was written/,
  )
  expect(existsSync(target)).toBe(false)
})

it.skipIf(!canMount)('nothing is left behind where the disk becomes full (with mount, as root)', async () => {
  const { file, store } = await aStore()
  await Promise.all(Array.from({ length: 400 }, () => storeOne(store)))
  const folder = join(temporaryFolder(), 'small')
  mountSmall(folder, '1m')
  const target = join(folder, 'backup.db')
  // The look at the free space is passed over: somebody else may use it up meanwhile.
  const copying = copyDatabase({ file, target, isQuiet: true, leaveBytes: -(1 << 30) })
  await expect(copying).rejects.toThrow(/backup.db could not be written: database or disk is full/)
  expect(readdirSync(folder)).toEqual([])
})

it('a restored backup goes on behind every position that may have been given since, so that no cursor passes over anything', async () => {
  const { file, store } = await aStore()
  await storeOne(store)
  const backup = join(temporaryFolder(), 'backup.db')
  copySync(file, backup)
  const lost = await storeOne(store)
  await store.close()

  const restored = temporaryDatabase()
  copySync(backup, restored)
  prepareRestored(restored, NOON)
  const { store: next } = await aStore(restored)
  const position = await storeOne(next)
  expect(position).toBeGreaterThan(lost + 900_000_000)
  expect((await next.listEvents({ after: lost }, 10)).events.map((event) => event.position)).toEqual([position])
  expect((await next.listEvents({ after: 0 }, 10)).events.map((event) => event.position)).toEqual([1, position])
  // Whatever was asked for: no one knows what is lost.
  const { removed } = await next.listEvents(
    { after: 1, gapsReportedAt: NOON - 1, kinds: ['no such'], environment: 'sandbox' },
    10,
  )
  expect(removed).toMatchObject({ isMissed: true, announcedAt: NOON })
  expect((await next.listEvents({ after: 1, gapsReportedAt: NOON }, 10)).removed.isMissed).toBe(false)
  expect((await next.listEvents({ after: position, gapsReportedAt: 0 }, 10)).removed.isMissed).toBe(false)
  const { id } = await next.createDestination(aDestination(), NOON)
  expect(id).toBeGreaterThan(900_000_000)
  expect(verifyDatabase(restored, () => undefined).problems).toEqual([])
  expect(verifyAuditChain(restored, [], () => undefined).problems).toEqual([])
})

it('a search that no index serves takes one look across the positions that a restoring left out', async () => {
  const { file, store } = await aStore()
  await storeOne(store)
  await store.close()
  prepareRestored(file, NOON)
  const { store: next } = await aStore(file)
  const position = await storeOne(next)
  const filter = { environment: 'production', receivedFrom: NOON } as const
  const pages: number[][] = []
  for (let after = 0, more = true; more && pages.length < 10; ) {
    const page = await next.listEvents({ ...filter, after }, 10)
    pages.push(page.events.map((event) => event.position))
    after = page.next
    more = page.more
  }
  expect(pages.flat()).toEqual([1, position])
  expect(pages.length).toBeLessThan(4)
  const newest: number[] = []
  for (let before = Number.MAX_SAFE_INTEGER, more = true, looks = 0; more && looks < 10; looks++) {
    const page = await next.listEvents({ ...filter, before, newestFirst: true }, 10)
    newest.push(...page.events.map((event) => event.position))
    before = page.next
    more = page.more
  }
  expect(newest).toEqual([position, 1])
})

it('the database that is replaced is kept with all that its log held, and nothing of its log meets the new one', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'portaria.db')
  const { store } = await aStore(file)
  await storeOne(store)
  await storeOne(store)
  // As a killed gateway leaves it: its log not yet moved into the database.
  const killed = join(temporaryFolder(), 'data')
  mkdirSync(killed)
  for (const end of ['', '-wal']) writeFileSync(join(killed, `portaria.db${end}`), readFileSync(`${file}${end}`))
  writeFileSync(join(killed, 'portaria.db-shm'), 'stale')
  const by = join(killed, 'copy')
  copySync(file, by)
  const db = new Database(by)
  db.exec('delete from deliveries; delete from events where id = 2; delete from callbacks where id = 2')
  db.close()
  const aside = join(killed, 'aside')
  replaceDatabase(join(killed, 'portaria.db'), { by, aside })
  expect(positionsOf(join(killed, 'portaria.db'))).toEqual([1])
  expect(positionsOf(aside)).toEqual([1, 2])
  expect(existsSync(by)).toBe(false)
  expect(readdirSync(killed).sort()).toEqual(['aside', 'portaria.db'])
})

it('a database too damaged to be opened is kept with its log as it is', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'portaria.db')
  writeFileSync(file, 'damaged')
  writeFileSync(`${file}-wal`, 'its log')
  writeFileSync(join(folder, 'copy'), 'the new one')
  replaceDatabase(file, { by: join(folder, 'copy'), aside: join(folder, 'aside') })
  const contents = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
  expect(contents).toEqual({ 'portaria.db': 'the new one', aside: 'damaged', 'aside-wal': 'its log' })
})
