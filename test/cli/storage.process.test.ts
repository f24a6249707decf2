import {
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aDestination, anInterpretedCallback, NOON } from '../support/builders.ts'
import { callApi, callBack } from '../support/calls.ts'
import { createSite, startTestGateway, type TestGateway, type TestSite } from '../support/gateway.ts'
import { databaseFile, storeOptionsOf } from '../support/store.ts'
import { inShell, linesOf, portaria } from './program.ts'

interface Line {
  readonly id: string
  readonly subject: string
  readonly data?: { readonly n: number }
  readonly evidence?: { readonly callback: string }
  readonly deliveries?: readonly { readonly destination: string }[]
}

/** So many events, all for `books`; of subjects s1, s2 and so on, each a minute after the one before. */
async function siteWithEvents(count: number): Promise<TestSite & { readonly database: string }> {
  const site = await createSite()
  const config = loadConfig(site.configFile)
  const store = await openStore(storeOptionsOf(config))
  await store.createDestination(aDestination(), NOON)
  for (let n = 1; n <= count; n++) {
    const callback = anInterpretedCallback(`{"identificador":"s${n}","n":${n}}`)
    await store.storeCallback({ ...callback, receivedAt: NOON + n * 60_000 })
  }
  await store.close()
  return { ...site, database: databaseFile(config) }
}

it('a backup gets its name when it is sound; it is private, replaces nothing unasked, and never the database itself', async () => {
  const site = await siteWithEvents(3)
  const target = join(site.folder, 'backup.db')
  const made = await portaria(site, 'storage', 'backup', target)
  expect([made.code, made.stdout]).toEqual([
    0,
    expect.stringMatching(/backup\.db: 0\.\d MiB, 3 events and 3 deliveries/),
  ])
  expect(made.stdout).toContain('the secrets of the destinations')
  expect(made.stderr).toContain('written, checking it')
  expect(statSync(target).mode & 0o777).toBe(0o600)

  const again = await portaria(site, 'storage', 'backup', target)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists: name another file')])
  const forced = await portaria(site, 'storage', 'backup', target, '--force', '--json')
  expect([forced.code, forced.stderr]).toEqual([0, ''])
  expect(linesOf(forced)).toMatchObject([{ file: target, counts: { events: 3, deliveries: 3 } }])

  const unheard = await inShell(site, `portaria storage backup ${target} --force 2> /dev/full`)
  expect([unheard.code, unheard.stdout]).toEqual([0, expect.stringContaining('3 events')])

  const own = await portaria(site, 'storage', 'backup', `${site.database}-wal`, '--force')
  expect([own.code, own.stderr]).toEqual([2, expect.stringContaining('belongs to the database itself')])
  const nowhere = await portaria(site, 'storage', 'backup', join(site.folder, 'none/backup.db'))
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('check that its folder exists')])
  expect(readdirSync(site.folder).filter((name) => name.includes('partial'))).toEqual([])
})

it('verify ends with 0 for what is sound, and with 1 and every violation in words for what is not', async () => {
  const site = await siteWithEvents(2)
  const sound = await portaria(site, 'storage', 'verify')
  expect([sound.code, sound.stdout]).toEqual([
    0,
    `${site.database} is sound: 2 events of 2 callbacks, 2 deliveries\nThe search index is empty: the gateway fills it\n`,
  ])
  expect(sound.stderr).toContain('checked')

  const broken = join(site.folder, 'broken.db')
  writeFileSync(broken, readFileSync(site.database))
  new Database(broken)
    .exec('update events set part = 4 where id = 2; update deliveries set next_attempt_at = null where id = 1')
    .close()
  const before = readFileSync(broken)
  const found = await portaria(null, 'storage', 'verify', broken)
  expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('broken.db is not sound:')])
  expect(found.stdout).toContain('  - event with a part number that its callback does not have: 2\n')
  expect(found.stdout).toContain('  - pending delivery without a next attempt: 1\n')
  expect(readFileSync(broken).equals(before)).toBe(true)
  const json = await portaria(null, 'storage', 'verify', broken, '--json')
  expect([json.code, json.stderr, linesOf(json)]).toMatchObject([1, '', [{ file: broken, isSound: false }]])
  const missing = await portaria(null, 'storage', 'verify', join(site.folder, 'none.db'))
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('check the name of the backup')])
  const folder = await portaria(null, 'storage', 'verify', site.folder)
  expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('is not a regular file')])
})

it('what cannot even be looked at is said in words', async () => {
  const site = await createSite()
  const loop = join(site.folder, 'loop.db')
  symlinkSync(loop, loop)
  const target = await portaria(site, 'storage', 'backup', loop)
  expect([target.code, target.stderr]).toEqual([
    1,
    expect.stringContaining('loop.db cannot be inspected: its links lead in a circle'),
  ])
  mkdirSync(join(site.folder, 'data'), { recursive: true })
  const file = databaseFile(loadConfig(site.configFile))
  symlinkSync(file, file)
  const database = await portaria(site, 'storage', 'backup', join(site.folder, 'backup.db'))
  expect([database.code, database.stderr]).toEqual([1, expect.stringContaining('cannot be read: ELOOP')])
})

it('a restore takes nothing unsound, asks, and is refused while a gateway owns the database', async () => {
  const site = await siteWithEvents(1)
  const garbage = join(site.folder, 'garbage.db')
  writeFileSync(garbage, 'garbage')
  const restore = (...args: string[]) => portaria(site, 'storage', 'restore', ...args)
  const unsound = await restore(garbage, '--yes')
  expect([unsound.code, unsound.stderr]).toEqual([1, expect.stringContaining('is not sound, nothing was changed')])
  const own = await restore(site.database, '--yes')
  expect([own.code, own.stderr]).toEqual([2, expect.stringContaining('is the database itself')])
  const backup = join(site.folder, 'backup.db')
  await portaria(site, 'storage', 'backup', backup)
  const unasked = await restore(backup)
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
  const gateway = await startTestGateway(site)
  const locked = await restore(backup, '--yes')
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining('another portaria process owns')])
  await gateway.stop()
  expect(readdirSync(join(site.folder, 'data')).filter((name) => /restor/.test(name))).toEqual([])

  // On a machine where there is nothing yet.
  rmSync(join(site.folder, 'data'), { recursive: true })
  expect(linesOf(await restore(backup, '--yes', '--json'))).toMatchObject([{ before: null, counts: { events: 1 } }])
  expect(readdirSync(join(site.folder, 'data')).sort()).toEqual(['portaria.db', 'portaria.db.lock'])
})

const isRoot = process.getuid?.() === 0

it('a restore leaves a database that is a link where it is, and nothing that an earlier one left', async () => {
  const site = await siteWithEvents(1)
  const elsewhere = join(site.folder, 'elsewhere')
  mkdirSync(elsewhere)
  renameSync(site.database, join(elsewhere, 'real.db'))
  symlinkSync(join(elsewhere, 'real.db'), site.database)
  // Of a restore that was killed.
  writeFileSync(join(elsewhere, 'real.db.restoring-1'), 'secrets')
  const backup = join(site.folder, 'backup.db')
  await portaria(site, 'storage', 'backup', backup)

  const restored = linesOf(await portaria(site, 'storage', 'restore', backup, '--yes', '--json'))
  expect(restored).toMatchObject([{ before: expect.stringContaining(`${elsewhere}/real.db.before-restore-`) }])
  expect(lstatSync(site.database).isSymbolicLink()).toBe(true)
  const before = expect.stringMatching(/^real\.db\.before-restore-/)
  expect(readdirSync(elsewhere).sort()).toEqual(['real.db', before, 'real.db.lock'])
})

it.skipIf(!isRoot)('a restore follows no link of another user (as root)', async () => {
  const site = await siteWithEvents(1)
  const backup = join(site.folder, 'backup.db')
  await portaria(site, 'storage', 'backup', backup)
  renameSync(site.database, join(site.folder, 'real.db'))
  symlinkSync(join(site.folder, 'real.db'), site.database)
  lchownSync(site.database, 65534, 65534)
  const foreign = await portaria(site, 'storage', 'restore', backup, '--yes')
  expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('not of the same owner')])
})

it.skipIf(!isRoot)('what root restores is still the gateway’s (as root)', async () => {
  const site = await siteWithEvents(1)
  const backup = join(site.folder, 'backup.db')
  await portaria(site, 'storage', 'backup', backup)
  chownSync(site.database, 4242, 4242)
  expect((await portaria(site, 'storage', 'restore', backup, '--yes')).code).toBe(0)
  expect(statSync(site.database).uid).toBe(4242)
})

interface Polled {
  readonly status: number
  readonly subjects: readonly string[]
  readonly next: string
}

async function poll({ api }: TestGateway, after = ''): Promise<Polled> {
  const { status, body } = await callApi(api, `/v1/events${after === '' ? '' : `?after=${after}`}`)
  const { data = [], next } = JSON.parse(body) as { data?: Line[]; next: string }
  return { status, subjects: data.map(({ subject }) => subject), next }
}

it('after a restore every poller is informed once, and then misses nothing that is there or comes, and sees nothing twice', async () => {
  const site = await createSite()
  const notify = (to: TestGateway, subject: string) => callBack(to, { body: `{"identificador":"${subject}"}` })
  const first = await startTestGateway(site)
  await notify(first, 'a')
  await notify(first, 'b')
  const early = (await poll(first)).next
  const backup = join(site.folder, 'backup.db')
  expect((await portaria(site, 'storage', 'backup', backup)).code).toBe(0)
  for (const subject of ['c', 'd', 'e']) await notify(first, subject)
  const late = await poll(first, early)
  expect(late.subjects).toEqual(['c', 'd', 'e'])
  await first.stop()
  const restored = linesOf(await portaria(site, 'storage', 'restore', backup, '--yes', '--json'))
  expect(restored).toMatchObject([{ counts: { events: 2 }, before: expect.stringContaining('.before-restore-') }])
  const aside = (restored[0] as { before: string }).before
  expect((await portaria(null, 'storage', 'verify', aside)).stdout).toContain('is sound: 5 events')

  const second = await startTestGateway(site)
  await notify(second, 'f')
  for (const cursor of [early, late.next]) {
    const told = await poll(second, cursor)
    expect(told.status).toBe(410)
    const page = await poll(second, told.next)
    expect([page.status, page.subjects]).toEqual([200, ['f']])
    await expect(poll(second, page.next)).resolves.toMatchObject({ status: 200, subjects: [] })
  }
  await expect(poll(second)).resolves.toMatchObject({ status: 200, subjects: ['a', 'b', 'f'] })
  await second.stop()
  expect((await portaria(site, 'storage', 'verify', '--chain')).code).toBe(0)
})

it('an export is complete, in order, valid JSON Lines, and goes on behind the last line of one that broke off', async () => {
  const site = await siteWithEvents(1200)
  const whole = await portaria(site, 'storage', 'export')
  const lines = linesOf<Line>(whole)
  expect([whole.code, lines.map(({ data }) => data?.n)]).toEqual([0, Array.from({ length: 1200 }, (_, n) => n + 1)])
  expect(whole.stderr).toMatch(/^1200 events, up to evt_\w+ of 2026-01-16 08:00:00Z\n$/)
  const rest = linesOf<Line>(await portaria(site, 'storage', 'export', '--after', lines[999]?.id ?? ''))
  expect(rest.map(({ id }) => id)).toEqual(lines.slice(1000).map(({ id }) => id))
  const wrong = await portaria(site, 'storage', 'export', '--after', 'dlv_1')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('an event id')])
})

it('an export holds what its filters let through, and as much of it as is asked for', async () => {
  const site = await siteWithEvents(5)
  const exported = async (...args: string[]) => linesOf<Line>(await portaria(site, 'storage', 'export', ...args))
  const times = ['--from', '2026-01-15T12:02:00Z', '--to', '2026-01-15T12:04:00Z']
  expect((await exported(...times)).map(({ subject }) => subject)).toEqual(['s2', 's3'])
  expect((await exported('--subject', 's4', '--state', 'pending')).map(({ subject }) => subject)).toEqual(['s4'])
  expect(await exported('--environment', 'sandbox')).toEqual([])
  const [bare] = await exported('--subject', 's1', '--no-data')
  expect(bare).not.toHaveProperty('data')
  const [full] = await exported('--subject', 's1', '--evidence', '--deliveries')
  expect(full).toMatchObject({
    data: { n: 1 },
    evidence: { callback: 'clb_1' },
    deliveries: [{ destination: 'dst_1' }],
  })
  const unknown = await portaria(site, 'storage', 'export', '--kind', 'paiment')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('there is no kind "paiment"')])
})

it('a reader that has seen enough ends an export quietly; a full disk in words', async () => {
  const site = await siteWithEvents(600)
  const head = await inShell(site, 'portaria storage export | head -n 1; echo $PIPESTATUS')
  expect(head.stdout.split('\n').slice(1)).toEqual(['0', ''])
  expect(head.stderr).not.toMatch(/error|EPIPE/)
  const full = await inShell(site, 'portaria storage export > /dev/full')
  expect([full.code, full.stderr]).toEqual([
    1,
    expect.stringMatching(/^portaria: standard output cannot be written: the disk is full\n$/),
  ])
})

it('stats tell the size and rows of each table, how fast it grows, and what is free', async () => {
  const site = await siteWithEvents(50)
  const { stdout, code } = await portaria(site, 'storage', 'stats')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {2}growth +\S+ \w+ a day, of \d+ callbacks\n/)])
  const [stats] = linesOf<{
    bytes: number
    reusableBytes: number
    freeBytes: number
    tables: { name: string; rows: number; bytes: number }[]
  }>(await portaria(site, 'storage', 'stats', '--json'))
  const tables = new Map(stats?.tables.map((table) => [table.name, table]))
  expect([tables.get('events')?.rows, tables.get('deliveries')?.rows]).toEqual([50, 50])
  const sum = [...tables.values()].reduce((bytes, table) => bytes + table.bytes, 0)
  // The pages of the schema are no table's.
  expect((stats?.bytes ?? 0) - (stats?.reusableBytes ?? 0) - sum).toBeLessThan(65_536)
  expect(stats?.freeBytes).toBeGreaterThan(0)
})
